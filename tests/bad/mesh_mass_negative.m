m = param('m', -1);
mesh.grid = [2 2];
mesh.body.m = m;
mesh.joint(2).spring.coeff = 1;
