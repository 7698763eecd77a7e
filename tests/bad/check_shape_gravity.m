world.g = [0 -9.81];
