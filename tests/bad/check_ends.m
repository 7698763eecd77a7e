joint(1).first = [1 0:3];
joint(1).second = [1 1:3];
joint(1).tr.rot = [2 inf];
