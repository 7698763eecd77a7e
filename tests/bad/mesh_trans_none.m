mesh.grid = [2 2];
mesh.joint(1).tr.trans = [0 0 0];
mesh.joint(2).spring.coeff = 1;
