joint(1).second = 1;
joint(1).tr(1).trans = [0 nan 0];
