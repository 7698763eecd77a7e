body(1).m = 0.1;
joint(1).second = [1 0.2];
joint(1).rom.order = 2;
joint(1).tr.trans = [inf inf inf];
joint(1).tr.rot = [0 inf inf inf];
joint(1).spring.coeff = 10;
joint(1).damp.visc = 1;
joint(1).damp.pow = [1 1 1 2 2 2];
