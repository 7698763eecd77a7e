x = 3*i;
y = 2 + j;
