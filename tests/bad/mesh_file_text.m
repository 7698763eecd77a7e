mesh.file_name = 'mesh_file_text.m';
mesh.joint(2).spring.coeff = 1;
