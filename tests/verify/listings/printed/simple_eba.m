%% The simple example of the TMTDyn paper (Eq. 48 to 60), beams with absolute states, and the constraint of Eq. 59, letter by letter; fractions and products of letters
%% are written with / and *.  simple_example.m is the copy that runs.
syms l0,m1, I1, f_u3, tau_u2, u_cz, u_ctheta; % (48)
par.sym = [l0,m1, I1, f_u3, tau_u2, u_cz, u_ctheta];
world.g = [0, 0, -9.81];
body(1).m = m1; % (SRL, EBR, EBA) (49)
body(1).I = I1.eye(3);
joint(1).second = 1; % (SRL, EBR, EBA) (51)
joint(1).tr(1).trans = [0, 0, l0]; % (54)
joint(1).tr(2).trans = [inf, 0, inf];
joint(1).tr(2).rot = [0, 0, inf, 0];
joint(2).second = 1; % (58)
joint(2).spring.coeff = [G1*pi*r1^2/l0, 0, E1*pi*r1^2/l0, 0, E1*pi*r1^4/(4*l0), 0];
joint(2).spring.init = [0, 0, nan, 0, 0, 0];
joint(2).damp.visc = [mu_eps, 0, mu_eps, 0, mu_alpha, 0];
joint(2).damp.pow = 2;
joint(2).input = [0, 0, f_u3, 0, tau_u2, 0];
joint(3).second = 1; % (59)
joint(3).fixed = [0, 0, 1, 0, 1, 0];
joint(3).control = [0, 0, u_cz, 0, u_ctheta, 0];
exload(1).exbody = 1; % (60)
exload(1).ftau = [f_l1, 0, f_l2, 0, 0, 0];
