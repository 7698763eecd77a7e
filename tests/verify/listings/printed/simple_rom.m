%% The simple example of the TMTDyn paper (Eq. 48 to 60), reduced-order model, letter by letter; fractions and products of letters
%% are written with / and *.  simple_example.m is the copy that runs.
syms l0,m1, I1, f_u3, tau_u2, u_cz, u_ctheta; % (48)
par.sym = [l0,m1, I1, f_u3, tau_u2, u_cz, u_ctheta];
world.g = [0, 0, -9.81];
body(1).m = m1/l0; % (ROM) (49)
body(1).I = m1*r1^2/(4*l0).eye(3);
joint(1).rom.order = 1; % (50)
joint(1).second = [1, l0]'; % (ROM) (51)
joint(1).tr(1).trans = [inf, 0, inf]; % (55)
joint(1).tr(1).rot = [0, 0, inf, 0];
joint(1).dof(2).init = l0; % (57)
exload(1).exbody = 1; % (60)
exload(1).ftau = [f_l1, 0, f_l2, 0, 0, 0];
