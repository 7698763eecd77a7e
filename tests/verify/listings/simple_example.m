% Eq. 48 to 60 of the TMTDyn paper: the simple example in all four models, with the constraint of Eq. 59 (param held = 1) and the
% load of Eq. 60.  Misprints: commas in syms (Matlab ends the statement
% there; taken here), I1.eye(3) for I1*eye(3); the constraint is joint(3) of the EBA model, whose joint(2) is the beam, not of the ROM.
model = param('model', 'srl');
syms l0,m1, I1, f_u3 , tau_u2 , u_cz , u_ctheta ;               % (48)
par.sym = [l0, m1, I1, f_u3, tau_u2, u_cz, u_ctheta];
par.var = [0.1, 0.05, 4.3e-5, param('f', 0.2), param('tau', 0.002), 0.3, -2];
r1 = 0.01;  E1 = 2e5;  G1 = E1/3;  mu_eps = 0.1;  mu_alpha = 1e-5;  nu = 1;

world.g = [0, 0, -9.81];
if strcmp(model, 'rom')
  body(1).m = m1/l0;                                            % (49)
  body(1).I = m1*r1^2/(4*l0)*eye(3);
  joint(1).rom.order = 1;                                       % (50)
  joint(1).second = [1, l0]';                                   % (51)
  joint(1).tr(1).trans = [inf, 0, inf];                         % (55)
  joint(1).tr(1).rot = [0, 0, inf, 0];
  joint(1).dof(2).init = l0;                                    % (57)
else
  body(1).m = m1;                                               % (49)
  body(1).I = I1*eye(3);
  joint(1).second = 1;                                          % (51)
  joint(1).tr(1).trans = [0, 0, l0];
  joint(1).tr(2).trans = [inf, 0, inf];
  switch model
    case 'srl', joint(1).tr(2).rot = [2, inf];                  % (52)
    case 'ebr', joint(1).tr(2).rot = [0, inf, 0];               % (53)
    case 'eba', joint(1).tr(2).rot = [0, 0, inf, 0];            % (54)
  end
end
switch model
  case {'srl', 'ebr'}
    joint(1).dof(1).spring.coeff = G1*pi*r1^2/l0;               % (56)
    joint(1).dof(1).damp.visc = mu_eps;
    joint(1).dof(1).damp.pow = nu;
    joint(1).dof(2).spring.coeff = E1*pi*r1^2/l0;
    joint(1).dof(2).damp.visc = mu_eps;
    joint(1).dof(2).damp.pow = nu;
    joint(1).dof(2).input = f_u3;
    joint(1).dof(3).spring.coeff = E1*pi*r1^4/(4*l0);
    joint(1).dof(3).damp.visc = mu_alpha;
    joint(1).dof(3).damp.pow = nu;
    joint(1).dof(3).input = tau_u2;
  case 'eba'
    joint(2).second = 1;                                        % (58)
    joint(2).spring.coeff = [G1*pi*r1^2/l0, 0, E1*pi*r1^2/l0, 0, E1*pi*r1^4/(4*l0), 0];
    joint(2).spring.init = [0, 0, nan, 0, 0, 0];
    joint(2).damp.visc = [mu_eps, 0, mu_eps, 0, mu_alpha, 0];
    joint(2).damp.pow = 2;
    joint(2).input = [0, 0, f_u3, 0, tau_u2, 0];
  case 'rom'                                                    % the same fields, of the section and not of its length
    joint(1).spring.coeff = [G1*pi*r1^2, 0, E1*pi*r1^2, 0, E1*pi*r1^4/4, 0];
    joint(1).damp.visc = [mu_eps, 0, mu_eps, 0, mu_alpha, 0];
    joint(1).damp.pow = 2;
    joint(1).input = [0, 0, f_u3, 0, tau_u2, 0];
end
if param('held', 0) && strcmp(model, 'eba')
  joint(3).second = 1;                                          % (59)
  joint(3).fixed = [0, 0, 1, 0, 1, 0];
  joint(3).control = [0, 0, u_cz, 0, u_ctheta, 0];
elseif param('held', 0)
  joint(2).second = 1;                                          % its number in the other models
  joint(2).fixed = [0, 0, 1, 0, 1, 0];
  joint(2).control = [0, 0, u_cz, 0, u_ctheta, 0];
end
f_l1 = param('fl1', 0.01);  f_l2 = param('fl2', 0.05);
exload(1).exbody = 1;                                           % (60)
exload(1).ftau = [f_l1, 0, f_l2, 0, 0, 0];

sensor(1).name = 'tip'; sensor(1).value = pos(body(1));
R = rot(body(1));
sensor(2).name = 'angle'; sensor(2).value = atan2(R(1, 3), R(3, 3));
par.t_final = 0.1; par.dt_out = 0.01;
