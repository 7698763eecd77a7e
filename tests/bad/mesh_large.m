mesh.grid = [1000 1000];
mesh.joint(2).spring.coeff = 1;
