a = 3;
b = a.x;
