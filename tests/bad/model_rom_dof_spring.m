body(1).m = 0.1;
joint(1).second = [1 0.2];
joint(1).rom.order = 2;
joint(1).tr.trans = [inf inf inf];
joint(1).tr.rot = [0 inf inf inf];
joint(1).spring.coeff = 10;
joint(1).dof(2).spring.coeff = 1;
