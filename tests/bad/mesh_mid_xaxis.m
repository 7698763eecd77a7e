mesh.grid = [2 2];
mesh.joint(2).spring.coeff = ones(1, 6);
mesh.joint(2).xaxis = [0 1 0];
mesh.joint(2).beam.frame = 'mid';
