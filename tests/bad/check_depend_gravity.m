u = input('u', 0);
world.g = [0 0 u];
