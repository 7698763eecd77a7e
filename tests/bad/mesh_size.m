mesh.node = [0 0 0; 1 0 0];
mesh.edge = [1 2];
mesh.size = [1 1];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
