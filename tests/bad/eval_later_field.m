joint(1).rom.order = 2;
