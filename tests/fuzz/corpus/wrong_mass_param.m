body(1).m = param('m', -2);
body(1).I = eye(3);
joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];
