mesh.grid = [2 2];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
joint(1).second = 3;
joint(1).spring.coeff = 1;
joint(1).motion = t;
