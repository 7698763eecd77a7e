mesh.file = ‘cad.iges’;
x = 1;
