r.mass = 1;
b = r.mas;
