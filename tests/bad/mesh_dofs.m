mesh.grid = [2 2];
mesh.joint(1).dof(4).rate = 1;
mesh.joint(2).spring.coeff = 1;
