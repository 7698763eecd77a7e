mesh.grid = [2 2];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = ones(1, 6);
mesh.joint(2).xaxis = [1 0 0];
