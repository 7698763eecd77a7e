mesh.node = [0 0 0; 1 0 0; 1 0 0];
mesh.edge = [1 2; 2 3];
mesh.joint(2).spring.coeff = ones(1, 6);
mesh.joint(2).beam.frame = 'mid';
