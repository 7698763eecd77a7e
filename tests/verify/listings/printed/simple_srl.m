%% The simple example of the TMTDyn paper (Eq. 48 to 60), series of rigid links, letter by letter; fractions and products of letters
%% are written with / and *.  simple_example.m is the copy that runs.
syms l0,m1, I1, f_u3, tau_u2, u_cz, u_ctheta; % (48)
par.sym = [l0,m1, I1, f_u3, tau_u2, u_cz, u_ctheta];
world.g = [0, 0, -9.81];
body(1).m = m1; % (SRL, EBR, EBA) (49)
body(1).I = I1.eye(3);
joint(1).second = 1; % (SRL, EBR, EBA) (51)
joint(1).tr(1).trans = [0, 0, l0]; % (52)
joint(1).tr(2).trans = [inf, 0, inf];
joint(1).tr(2).rot = [2, inf];
joint(1).dof(1).spring.coeff = G1*pi*r1^2/l0; % for eps_01, (56)
joint(1).dof(1).damp.visc = mu_eps;
joint(1).dof(1).damp.pow = nu;
joint(1).dof(2).spring.coeff = E1*pi*r1^2/l0; % for eps_03,
joint(1).dof(2).damp.visc = mu_eps;
joint(1).dof(2).damp.pow = nu;
joint(1).dof(2).input = f_u3;
joint(1).dof(3).spring.coeff = E1*pi*r1^4/(4*l0); % for theta_1 or alpha_02;
joint(1).dof(3).damp.visc = mu_alpha;
joint(1).dof(3).damp.pow = nu; % .
joint(1).dof(3).input = tau_u2;
exload(1).exbody = 1; % (60)
exload(1).ftau = [f_l1, 0, f_l2, 0, 0, 0];
