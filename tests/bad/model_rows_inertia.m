body(1).m = 1;
body(1).I = cat(3, eye(3), eye(3));
joint(1).second = 1;
joint(1).tr(1).trans = [0 0 inf];
