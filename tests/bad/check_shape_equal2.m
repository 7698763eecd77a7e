body(1).m = 1;
joint(1).second = 1;
joint(1).tr.rot = [2 inf];
joint(1).dof(1).equal2 = [1 2 3 4];
