joint(1).second = [1 2; 3 4];
