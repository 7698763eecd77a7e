joint(1).first = -1;
joint(1).second = 1;
