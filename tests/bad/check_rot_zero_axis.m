joint(1).second = 1;
joint(1).tr.rot = [0.5 0 0 0];
