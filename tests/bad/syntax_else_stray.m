x = 3;
else
y = 4;
