joint(1.tr(1).trans = [0 0 1];
joint(2).second = 2;
