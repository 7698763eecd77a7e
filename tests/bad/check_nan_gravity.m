world.g = [0 0 nan];
