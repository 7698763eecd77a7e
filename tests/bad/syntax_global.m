global g
g = 9.81;
