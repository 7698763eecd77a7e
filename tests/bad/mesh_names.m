mesh(1).grid = [2 2];
mesh(1).name = 'a';
mesh(1).joint(2).spring.coeff = 1;
mesh(2) = mesh(1);
