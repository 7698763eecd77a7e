fluid.rho = 1000;
mesh.grid = [2 2];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
mesh.fluid.width = 0.01;
mesh.fluid.drag = [1 2 0];
