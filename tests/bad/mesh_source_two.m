mesh.grid = [2 2];
mesh.file_name = 'x.iges';
mesh.joint(2).spring.coeff = 1;
