body(1).m = 1;
joint(1).second = [1 1:3];
joint(1).tr(1).trans = [0 0 inf];
joint(1).dof(1).spring.coeff = [1; 2];
