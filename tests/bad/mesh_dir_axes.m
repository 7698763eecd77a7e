mesh(1).grid = [2 2];
mesh(1).body.m = 1;
mesh(1).joint(2).spring.coeff = 10;
mesh(1).joint(2).dir = [1 0 -1];
