mesh.grid = [2 2];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
joint(1).second = at(mesh(1), 3);
joint(1).fixed = [1 1 1];
joint(1).motion = [t 0 0 0];
