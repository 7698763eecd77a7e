body(1).m = 1;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];
joint(2).first = [0 zeros(1, 2000000)];
joint(2).second = 1;
joint(2).tr(1).trans = [0 0 1];
joint(2).spring.coeff = 1;
