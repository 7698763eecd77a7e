n = 12;
world.g=[0 0 -9.81];
body(1).m = 0.56; body(1).I = 1e-5;
joint(1).second = [1 0.05];
joint(1).rom.order = n;
joint(1).tr.trans = [inf inf inf];
joint(1).tr.rot = [0 inf inf inf];
joint(1).spring.coeff = [7 7 20 1e-3 1e-3 7e-4];
