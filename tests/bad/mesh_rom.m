mesh.grid = [2 2];
mesh.body(1).m = 1;
mesh.joint(2).rom.order = 2;
mesh.joint(2).tr.trans = [inf 0 inf];
mesh.joint(2).dir = 1;
mesh.joint(2).damp.along = 1;
mesh.joint(3).rom.order = 1;
mesh.joint(3).spring.coeff = 1;
