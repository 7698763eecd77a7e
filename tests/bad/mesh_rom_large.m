mesh.grid = [40 40];
mesh.body(1).m = 1;
mesh.body(2).m = 0.1;
mesh.joint(1).tr.rot = [0 inf inf inf];
mesh.joint(2).rom.order = 9;
mesh.joint(2).spring.coeff = [1 1 1 1 1 1];
