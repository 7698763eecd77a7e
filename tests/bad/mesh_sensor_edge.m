mesh.grid = [2 2];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
sensor(1).name = 'p';
sensor(1).value = length(mesh(1), 9);
