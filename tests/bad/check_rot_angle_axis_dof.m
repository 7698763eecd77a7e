joint(1).second = 1;
joint(1).tr.rot = [0.5 inf 0 0];
