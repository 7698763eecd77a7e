p = 2e4*(1 + sin(2*pi*t));
E = param('E', 205e3);
joint(1).input = ifelse(t < 1, 0, p);
