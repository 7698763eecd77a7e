a = param('a', -0.1);
body(1).m = 1;
body(1).I = diag([a 1 1]);
joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];
