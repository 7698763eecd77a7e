r.a = 1;
w = r * 2;
