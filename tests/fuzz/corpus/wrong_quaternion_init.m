body(1).m = 1;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).tr(1).rot = [0 inf inf inf];
joint(1).dof(2).init = 0.9;
joint(1).dof(3).init = 0.8;
