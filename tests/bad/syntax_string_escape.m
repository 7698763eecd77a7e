mesh.file = "C:\path\cad.iges";
