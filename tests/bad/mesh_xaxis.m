mesh.grid = [2 2];
mesh.body.m = 1;
mesh.joint(2).xaxis = [1 0 0];
mesh.joint(2).spring.coeff = 1;
