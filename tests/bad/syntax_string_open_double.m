mesh.file = "cad.iges;
x = 3;
