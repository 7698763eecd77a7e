body(1).m = 1;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).tr(1).rot = [3 inf];
joint(1).tr(2).rot = [2 inf];
joint(1).tr(3).rot = [1 inf];
joint(1).dof(2).init = pi/2;
