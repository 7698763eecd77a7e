joint(1).second = 1;
joint(1).tr.rot = [1 0 0 0 1];
