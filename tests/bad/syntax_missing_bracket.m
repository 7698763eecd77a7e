world.g = [0, 0, -9.81;
body(1).m = 2;
