body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
mesh(1).grid = [1e300 2]; mesh(1).body.m = 1; mesh(1).joint(2).spring.coeff = 1;
