mesh.grid = [2 2];
mesh.joint(2).spring.coeff = ones(1, 6);
mesh.joint(2).damp.visc = 1;
mesh.joint(2).damp.pow = 2;
mesh.joint(2).beam.frame = 'mid';
