mesh(1).node = [0 0 0; 0.3 0 0; 0.3 0.2 0]; mesh(1).edge = [1 2; 2 3]; mesh(1).fixed = 1;
mesh(1).body(1).m = 0.02; mesh(1).body(1).I = 1e-5*eye(3); mesh(1).body(2).m = 0.08; mesh(1).joint(1).tr.rot = [0 inf inf inf];
mesh(1).joint(2).rom.order = 2; mesh(1).joint(2).spring.coeff = [400 0.05];
mesh(1).joint(2).damp.visc = [0.4 5e-4];
mesh(1).joint(2).damp.pow = [1 1 1 2 2 2];
