world.g = [0 0 -9.81];
