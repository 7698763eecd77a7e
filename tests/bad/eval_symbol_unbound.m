syms k m
body(1).m = 2*m;
joint(1).spring.coeff = k;
