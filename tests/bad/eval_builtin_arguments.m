x = sin(1, 2);
y = atan2(1);
