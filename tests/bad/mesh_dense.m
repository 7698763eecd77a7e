mesh.grid = [40 40];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
par.linear = 'dense';
