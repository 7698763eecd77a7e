x = sqrt(-1);
y = log(-2);
z = asin(3);
