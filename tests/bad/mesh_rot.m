mesh.grid = [2 2];
mesh.joint(1).tr.rot = [0 inf 0 inf];
mesh.joint(2).spring.coeff = 1;
