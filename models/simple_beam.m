% The simple example of the TMTDyn paper (Fig. 1, Eq. 49-58): a planar beam of one element with its mass at the tip,
% written with `body` and `joint` as printed.  The param `model` chooses how its three degrees of freedom are said:
%
%   srl   a rigid link on a spring-loaded joint:  translation [x, z], then a turn about y            Eq. 52
%   ebr   an Euler-Bernoulli element relative to its base:  the turn as a bending angle              Eq. 53
%   eba   a free mass, its turn a quaternion, held by a linking beam of six columns                  Eq. 54, 58
%
% Expect: about the straight state all three are the same linear system, with the frequencies sqrt(GA/(l m)),
% sqrt(EA/(l m)) and sqrt(EJ/(l I)).  They differ in how they measure a large turn: a bending moment tau turns
% the tip by a = tau l/(E J) in srl, by 2 atan(a/2) in ebr and by 2 asin(a/2) in eba.  Gravity compresses the beam by
% m g l/(E A) in each.

model = param('model', 'srl');
l = 0.1;  r = 0.01;                         % length and radius [m]
E = 2e5;  G = E/3;                          % moduli [Pa]
m = 0.05;                                   % mass [kg]
g = param('g', 9.81);                       % gravity [m/s^2]
fu = param('f', 0);                         % axial input [N]
tau = param('tau', 0);                      % bending input [N m]
mu_e = 0.1;  mu_a = 1e-5;  nu = 1;          % damping: [N s/m], [N m s/rad], power

A = pi*r^2;  J = pi*r^4/4;
I = m*(3*r^2 + l^2)/12;                     % of a cylinder about its middle, as Eq. 22 [kg m^2]

world.g = [0 0 -g];

body(1).name = 'beam';
body(1).m = m;
body(1).I = I*eye(3);

joint(1).second = 1;
joint(1).tr(1).trans = [0 0 l];
joint(1).tr(2).trans = [inf 0 inf];
switch model
  case 'srl'
    joint(1).tr(2).rot = [2 inf];
  case 'ebr'
    joint(1).tr(2).rot = [0 inf 0];
  case 'eba'
    joint(1).tr(2).rot = [0 0 inf 0];
    joint(1).chart = 'vector';              % the state of Eq. 54 itself
  otherwise
    error('model must be srl, ebr or eba');
end

if strcmp(model, 'eba')
  joint(2).second = 1;
  joint(2).spring.coeff = [G*A 0 E*A 0 E*J 0]/l;
  joint(2).spring.init = [0 0 nan 0 0 0];
  joint(2).damp.visc = [mu_e 0 mu_e 0 mu_a 0];
  joint(2).damp.pow = nu;
  joint(2).input = [0 0 fu 0 tau 0];
else
  coeff = [G*A E*A E*J]/l;  visc = [mu_e mu_e mu_a];  input_ = {0, fu, tau};
  for i = 1:3
    joint(1).dof(i).spring.coeff = coeff(i);
    joint(1).dof(i).damp.visc = visc(i);
    joint(1).dof(i).damp.pow = nu;
    joint(1).dof(i).input = input_{i};
  end
end

R = rot(body(1));
sensor(1).name = 'tip';    sensor(1).value = pos(body(1));
sensor(2).name = 'angle';  sensor(2).value = atan2(R(1,3), R(3,3));

par.t_final = 1;
par.dt_out = 0.01;
