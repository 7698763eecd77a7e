joint(1).second = 1;
joint(1).rom.order = 3;
