mesh.grid = [2 2];
mesh.body(1).m = 1;
mesh.body(2).m = 0.1;
mesh.joint(1).tr.rot = [0 inf inf inf];
mesh.joint(2).rom.order = 2;
mesh.joint(2).spring.coeff = [1 1 1 1 1 1];
fluid.rho = 1000;
mesh.fluid.width = 0.01;
