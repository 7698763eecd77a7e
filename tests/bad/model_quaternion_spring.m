body(1).m = 1;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).tr.rot = [inf inf inf inf];
joint(1).dof(2).spring.coeff = 3;
