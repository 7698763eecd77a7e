% Table 3, right: series of rigid links.  param printed = 1 keeps a misprint that Matlab does not see: the joint turns about z, x, y in
% turn, while the stiffness, damping and moments of the loop are those about x, y, z.
% Misprints that Matlab refuses are mended: mu_chi(id), f_chi(ih) for mu_chi(ih), fu_chi(ih).
include('table2.m');
mu_xi = 0.1*[1 1 1];  mu_zeta = 1e-5*[1 1 1];  % Table 8
Kv = Kv*nd/lm2;  Ku = Ku*nd/lm2;               % of a segment

world.g = [0, 0, -g];                          % gravity
body(1).m = m2/nd;                             % Rigid body
body(1).I = I2d;
body(1).tip = [0, 0, lm2/nd];                  % only required for animation plots
K_chi = [diag(Kv)', diag(Ku)'];                % EB beam stiffness
mu_chi = [mu_xi, mu_zeta];                     % EB beam viscous damping
fu_chi = [f_up, tau_up];                       % pressure inputs
joint(1).first = [1, (0 : nd - 1)]';           % rigid link series with 1st one connected to ground
joint(1).second = [1, (1 : nd)]';
joint(1).tr(1).trans = [0, 0, lm2/nd];
joint(1).tr(2).trans = [inf, inf, inf];
joint(1).tr(2).rot = [3, inf];                 % rotation about z-axis
joint(1).tr(3).rot = [1, inf];                 % rotation about x-axis
joint(1).tr(4).rot = [2, inf];                 % rotation about y-axis
if ~param('printed', 0)
  turn = [1 2 3 6 4 5]; K_chi = K_chi(turn); mu_chi = mu_chi(turn); fu_chi = fu_chi(turn);
end
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
joint(2).second = 2;
mesh = [ ];                                    % no mesh body
exload(1).exbody = 2;                          % tip load
exload(1).ftau = [f_lt, tau_lt];
exload(1).tr(1).trans = [0, 0, lm3];

par.t_final = 0.2; par.dt_out = 0.01;
sensor(1).name = 'tip'; sensor(1).value = pos(body(2));
