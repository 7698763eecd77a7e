mesh.grid = [2 2];
mesh.joint(2).spring.coeff = 1;
mesh.joint(2).beam.frame = 'mid';
