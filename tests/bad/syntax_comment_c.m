x = 3; // mass
y = 4;
