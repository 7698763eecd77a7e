%% Table 3 of the TMTDyn paper, reduced-order model, letter by letter.  table3_rom.m is the copy that runs.
world.g = [0, 0, -g]; % gravity
body(1).m = m2/lm2; % ROM body
body(1).I = I2;
joint(1).second = [1, lm2]'; % ROM joint
joint(1).rom.order = nr;
joint(1).tr.trans = [inf, inf, inf];
joint(1).tr.rot = [0, inf, inf, inf];
joint(1).dof(3).init = (1 : nr)lm2; % DOF properties
joint(1).spring.coeff = [diag(Kv)', diag(Ku)']; % EB beam stiffness
joint(1).damp.visc = [mu_xi, mu_zeta]; % EB beam viscous damping
joint(1).damp.pow = nu; % viscous damping power law index
joint(1).input = [f_up, tau_up]; % pressure inputs
body(2).m = m3; % tip force sensor
body(2).I = I3;
body(2).l_com = [0, 0, lm3/2];
joint(2).first = [1, lm2]'; % tip force sensor joint
joint(2).second = 2; mesh = [ ]; % no mesh body
exload(1).exbody = 2; % tip load
exload(1).ftau = [f_lt, tau_lt];
exload(1).tr(1).trans = [0, 0, lm3];
