body(1).mas = 1;
body(1).m = wieght;
joint(1).tr(1).trans = [0 0 1] * [1 0 0];
joint(1).second = 1;
