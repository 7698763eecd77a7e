mesh.grid = [2 2];
mesh.body(1).m = 1;
mesh.body(2).m = 0.1;
mesh.joint(2).spring.coeff = 1;
