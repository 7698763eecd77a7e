mesh.node = [0 0 0; 1 0 0];
mesh.edge = [1 2];
mesh.fixed = 'frame';
mesh.joint(2).spring.coeff = 1;
