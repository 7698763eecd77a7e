body(1).m = 1;
joint(1).second = 1;
joint(1).tr.rot = [2 inf];
joint(2).second = 1;
joint(2).damp.pow = [1 1 1 1 -1 1];
