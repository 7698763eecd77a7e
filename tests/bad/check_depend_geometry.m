u = input('u', 0);
joint(1).second = 1;
joint(1).tr.trans = [0 0 u];
