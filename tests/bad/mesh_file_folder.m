mesh.file_name = '.';
mesh.joint(2).spring.coeff = 1;
