x = (3;
y = 4 +;
z = 'abc;
w = 5;
v = 2w;
