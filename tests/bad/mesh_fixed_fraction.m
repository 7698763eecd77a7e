mesh.grid = [2 2];
mesh.fixed = [1 1.5];
mesh.joint(2).spring.coeff = 1;
