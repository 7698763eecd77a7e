s.a = 1;
w = s * 2;
