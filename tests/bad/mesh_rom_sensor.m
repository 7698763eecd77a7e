mesh.grid = [2 2];
mesh.body(1).m = 1;
mesh.body(2).m = 0.1;
mesh.joint(1).tr.rot = [0 inf inf inf];
mesh.joint(2).rom.order = 2;
mesh.joint(2).spring.coeff = [1 1 1 1 1 1];
sensor(1).name = 'f'; sensor(1).value = force(mesh(1), 2);
sensor(2).name = 'e'; sensor(2).value = stretch(mesh(1), 1);
