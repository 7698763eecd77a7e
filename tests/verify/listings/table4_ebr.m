% Table 4, left: Euler-Bernoulli beams with relative states.  param printed = 1 keeps two exchanged right sides: three numbers for the
% mass of a segment, one for the place of its tip.
include('table2.m');
mu_xi = 100*[1 1 1];  mu_zeta = 0.5*[1 1 1];   % Table 8
Kv = Kv*nd/lm2;  Ku = Ku*nd/lm2;               % of a segment

world.g = [0, 0, -g];                          % gravity
if param('printed', 0)
  body(1).m = [0, 0, m2/nd];                   % Rigid body
  body(1).tip = lm2/nd;                        % only required for animation plots
else
  body(1).m = m2/nd;
  body(1).tip = [0, 0, lm2/nd];
end
body(1).I = I2d;
K_chi = [diag(Kv)', diag(Ku)'];                % EB beam stiffness
mu_chi = [mu_xi, mu_zeta];                     % EB beam viscous damping
fu_chi = [f_up, tau_up];                       % pressure inputs
joint(1).first = [1, (0 : nd - 1)]';           % EB beams with the 1st one connected to the ground
joint(1).second = [1, (1 : nd)]';
joint(1).tr(1).trans = [0, 0, lm2/nd];
joint(1).tr(2).trans = [inf, inf, inf];
joint(1).tr(2).rot = [inf, inf, inf];          % EB beam bendings/torsion (alpha)
for ih = 1 : 6;                                % DOF properties
  joint(1).dof(ih).spring.coeff = K_chi(ih);
  joint(1).dof(ih).damp.visc = mu_chi(ih);
  joint(1).dof(ih).damp.pow = nu;
  joint(1).dof(ih).input = fu_chi(ih);
end
body(2).m = m3;                                % tip force sensor
body(2).I = I3;
body(2).l_com = [0, 0, lm3/2];
joint(2).first = [1, nd]';                     % tip force sensor joint
joint(2).second = 2; mesh = [ ];               % no mesh body
exload(1).exbody = 2;                          % tip load
exload(1).ftau = [f_lt, tau_lt];
exload(1).tr(1).trans = [0, 0, lm3];

par.t_final = 0.2; par.dt_out = 0.01;
sensor(1).name = 'tip'; sensor(1).value = pos(body(2));
