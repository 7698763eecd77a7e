body(1).m = 1;
body(2).m = 1;
joint(1).second = [1 1:3];
joint(1).tr(1).trans = [0 0 inf];
joint(2).first = [1 1:3];
joint(2).second = [2 1:4];
