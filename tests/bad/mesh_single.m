mesh.grid = [1 1];
mesh.joint(2).spring.coeff = 1;
