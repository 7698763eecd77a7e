% Table 4, right: Euler-Bernoulli beams with absolute states.  param printed = 1 leaves the nodes without places, as printed: all start
% at the first one, and the rest lengths become 0.
include('table2.m');
mu_xi = 100*[1 1 1];  mu_zeta = 0.01*[1 1 1];  % Table 8
Kv = Kv*nd/lm2;  Ku = Ku*nd/lm2;               % of a segment

world.g = [0, 0, -g];                          % gravity
body(1).m = m2/nd;                             % Rigid body
body(1).I = I2d;
K_chi = [diag(Kv)', diag(Ku)'];                % EB beam stiffness
mu_chi = [mu_xi, mu_zeta];                     % EB beam viscous damping
fu_chi = [f_up, tau_up];                       % pressure inputs
joint(1).second = [1, (1 : nd)]';              % SRL with absolute states (connected to the ground)
joint(1).tr(1).trans = [0, 0, lm2/nd];
joint(1).tr(2).trans = [inf, inf, inf];
joint(1).tr(2).rot = [0, inf, inf, inf];       % absolute quaternions rotation of each link (alpha)
if ~param('printed', 0), joint(1).dof(3).init = (0 : nd - 1)'*lm2/nd; end
joint(2).first = [1, (0 : nd - 1)]';           % EB beams connecting the bodies with the 1st one connected to the ground
joint(2).second = [1, (1 : nd)]';
joint(2).spring.coeff = [diag(Kv)', diag(Ku)'];% EB beam stiffness
joint(2).spring.init = [0, 0, nan, 0, 0, 0];   % EB beam directions initial state (geometry)
joint(2).damp.visc = [mu_xi, mu_zeta];         % EB beam viscous damping
joint(2).damp.pow = nu;                        % viscous damping power law index
joint(2).input = [f_up, tau_up];               % pressure inputs
body(2).m = m3;                                % tip force sensor
body(2).I = I3;
body(2).l_com = [0, 0, lm3/2];
joint(3).first = [1, nd]';                     % tip force sensor joint
joint(3).second = 2;
mesh = [ ];                                    % no mesh body
exload(1).exbody = 2;                          % tip load
exload(1).ftau = [f_lt, tau_lt];
exload(1).tr(1).trans = [0, 0, lm3];

par.t_final = 0.2; par.dt_out = 0.01;
sensor(1).name = 'tip'; sensor(1).value = pos(body(2));
