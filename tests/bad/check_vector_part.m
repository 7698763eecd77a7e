a = param('a', 0.9);
body(1).m = 1;
joint(1).second = 1;
joint(1).tr(1).rot = [0 0.1 0.2 0.3];
joint(1).tr(2).rot = [0 a a a];
joint(1).tr(3).rot = [0 1 0 0];
