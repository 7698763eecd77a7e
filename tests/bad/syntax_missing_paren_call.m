world.g = [0 0 -9.81];
y = sin(pi/2
z = 4;
