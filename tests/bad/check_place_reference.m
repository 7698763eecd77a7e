joint(1).first = joint(2);
joint(1).second = 1;
joint(2).second = 2;
