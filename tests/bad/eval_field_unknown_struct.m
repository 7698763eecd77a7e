b.m = 1;
b.weight = 2;
body(1) = b;
