mesh(2).grid = [2 2];
mesh(2).joint(2).spring.coeff = 1;
