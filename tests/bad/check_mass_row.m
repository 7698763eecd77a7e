nd = 3;
body(1).m = [0 0 0.03/nd];
body(1).I = 1e-6*eye(3);
joint(1).second = [1 1:nd]';
joint(1).tr.trans = [inf inf inf];
