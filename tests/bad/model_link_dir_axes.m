body(1).m = 1;
joint(1).second = 1;
joint(1).tr.trans = [0 0 inf];
joint(2).second = 1;
joint(2).tr.trans = [0 0 1];
joint(2).spring.coeff = 10;
joint(2).dir = [1 0 -1];
