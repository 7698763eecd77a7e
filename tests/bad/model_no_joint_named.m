body(1).name = 'arm';
body(1).m = 1;
joint(1).first = 1;
joint(1).second = 0;
joint(1).spring.coeff = 1;
