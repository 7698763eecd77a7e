body(1).m = 1; body(1).I = eye(3); joint(1).second = [1 0.1]; joint(1).rom.order = 2;
joint(1).rom.points = [0.2 0.8; 1 1];
joint(1).tr.trans = [inf inf inf]; joint(1).tr.rot = [0 inf inf inf]; joint(1).spring.coeff = 1;
