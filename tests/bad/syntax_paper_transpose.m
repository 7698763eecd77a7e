joint(1).second = [1, lm2]>;
