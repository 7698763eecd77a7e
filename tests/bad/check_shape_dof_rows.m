joint(1).first = [1 0:3];
joint(1).second = [1 1:4];
joint(1).tr.rot = [2 inf];
joint(1).dof(1).init = [0.1; 0.2; 0.3];
