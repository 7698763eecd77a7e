body(1).m = 1;
joint(1).second = 1;
joint(1).tr.rot = [2 inf];
joint(2).second = 1;
joint(2).tr2nd.trans = [0 0 inf];
