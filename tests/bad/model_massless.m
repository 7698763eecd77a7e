body(1).m = 0;
body(1).I = zeros(3);
joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];
joint(1).dof(1).spring.coeff = 3;
