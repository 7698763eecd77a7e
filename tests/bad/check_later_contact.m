contact(1).stiffness = 1e3;
