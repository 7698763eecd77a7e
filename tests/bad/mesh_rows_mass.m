mesh.grid = [2 2];
mesh.body.m = [1; 2; 3];
mesh.joint(2).spring.coeff = 1;
