body(1).m = 0.1; body(1).I = 1e-6*eye(3); joint(1).rom.order = 2; joint(1).second = [1 0.2];
joint(1).tr.trans = [inf inf inf]; joint(1).tr.rot = [0 inf inf inf]; joint(1).spring.coeff = [100 0.1];
body(2).m = 1;
joint(2).first = [1 0.1 0.2]; joint(2).second = [2 1 2];
