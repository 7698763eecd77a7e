mesh.grid = [2 2];
mesh.body.m = 1;
