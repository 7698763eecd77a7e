mesh.grid = [2 2];
mesh.fixed = 'edges';
mesh.joint(2).spring.coeff = 1;
