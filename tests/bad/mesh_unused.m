mesh.grid = [2 2];
mesh.tol = 1;
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
