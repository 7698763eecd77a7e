body(1).m = 1;
joint(1).second = [1 1:1000000];
joint(1).tr(1).trans = [0 0 inf];
