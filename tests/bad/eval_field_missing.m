s.mass = 1;
b = s.mas;
