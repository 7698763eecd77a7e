joint(1).second = 1 + t;
