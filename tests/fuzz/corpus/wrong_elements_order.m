body(1).m = 1;
joint(1).second = [1 1 3 2];
joint(1).tr(1).trans = [0 0 inf];
