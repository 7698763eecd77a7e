tip mass = 3;
