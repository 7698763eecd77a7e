mesh.grid = [2 2];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
joint(1).second = 5;
joint(1).fixed = 1;
