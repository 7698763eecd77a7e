mesh.grid = [32 32];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
body(1).m = 1;
joint(1).second = [1 1:40];
joint(1).type = 'free';
