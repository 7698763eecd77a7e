mesh.grid = [2 2];
mesh.joint(1).tr.trans = [inf inf 1];
mesh.joint(2).spring.coeff = 1;
