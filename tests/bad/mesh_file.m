mesh.file_name = 'no_such.iges';
mesh.joint(2).spring.coeff = 1;
