mesh.grid = [2 2];
mesh.body.m = 1;
mesh.joint(2).spring.coeff = 1;
contact(1).first = mesh(2);
contact(1).second = 'plane';
contact(1).stiffness = 1;
