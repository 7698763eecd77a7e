% set u1 high
body(1).m = 1;
joint(1).second = 1; joint(1).tr(1).trans = [0 0 inf];
u1 = input('u1', 0);
joint(1).dof(1).input = u1;
