mesh.grid = [2 2];
mesh.body(1).m = 1;
mesh.body(2).m = 0.1;
mesh.body(2).I = [3 0 1; 0 3 0; 1 0 3]*1e-5;
mesh.joint(1).tr.rot = [0 inf inf inf];
mesh.joint(2).rom.order = 2;
mesh.joint(2).spring.coeff = [1 1 1 1 1 1];
