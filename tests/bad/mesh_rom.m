mesh.grid = [2 2];
mesh.body.m = 1;
mesh.joint(2).rom.order = 2;
