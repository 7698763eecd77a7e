mesh.grid = [2 2];
mesh.body.m = 0;
mesh.joint(2).spring.coeff = 1;
