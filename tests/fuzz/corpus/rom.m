world.g = [0, 0,-g]; % gravity
joint(1).second = [1, lm2]';
joint(1).rom.order = nr;
joint(1).tr.trans = [inf, inf, inf];
joint(1).dof(3).init = (1 : nr)*lm2;
joint(1).spring.coeff = [diag(Kv)', diag(Ku)'];
