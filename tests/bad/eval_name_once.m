L = 1;
a = l + 1;
b = 2*l;
c = [l l];
body(1).m = l;
