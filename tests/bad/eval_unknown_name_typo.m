stiffness = 3;
y = 2*stifness;
