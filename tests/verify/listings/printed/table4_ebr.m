%% Table 4 of the TMTDyn paper, Euler-Bernoulli beams with relative states, letter by letter.  table4_ebr.m is the copy that runs.
world.g = [0, 0, -g]; % gravity
body(1).m = [0, 0, m2/nd]; % Rigid body
body(1).I = I2d;
body(1).tip = lm2/nd; % only required for animation plots
K_chi = [diag(Kv)', diag(Ku)']; % EB beam stiffness
mu_chi = [mu_xi, mu_zeta]; % EB beam viscous damping
fu_chi = [f_up, tau_up]; % pressure inputs
joint(1).first = [1, (0 : nd - 1)]'; % EB beams with the 1st one connected to the ground
joint(1).second = [1, (1 : nd)]';
joint(1).tr(1).trans = [0, 0, lm2/nd];
joint(1).tr(2).trans = [inf, inf, inf];
joint(1).tr(2).rot = [inf, inf, inf]; % EB beam bendings/torsion (alpha)
for ih = 1 : 6; % DOF properties then
joint(1).dof(ih).spring.coeff = K_chi(ih);
joint(1).dof(ih).damp.visc = mu_chi(id);
joint(1).dof(ih).damp.pow = nu;
joint(1).dof(ih).input = f_chi(ih);
end
body(2).m = m3; % tip force sensor
body(2).I = I3;
body(2).l_com = [0, 0, lm3/2];
joint(2).first = [1, nd]'; % tip force sensor joint
joint(2).second = 2; mesh = [ ]; % no mesh body
exload(1).exbody = 2; % tip load
exload(1).ftau = [f_lt, tau_lt];
exload(1).tr(1).trans = [0, 0, lm3];
