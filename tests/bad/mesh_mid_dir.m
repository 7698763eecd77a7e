mesh.grid = [2 2];
mesh.joint(2).spring.coeff = ones(1, 6);
mesh.joint(2).dir = 1;
mesh.joint(2).beam.frame = 'mid';
