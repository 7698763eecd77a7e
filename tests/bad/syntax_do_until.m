x = 0;
do
  x++;
until x > 3
y = 2;
