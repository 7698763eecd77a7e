% The arm of an octopus reaching: a bend travels along a tapered arm in water (section 5.4 of the SoRoSim paper, with
% its parameters).
%
% The curvature is either written out, a bell that may grow, sharpen and travel, on a parabola,
%
%   kappa L = q1/(1 + (q2 (x - q3))^2) + q4 + q5 x + q6 x^2            x = s/L, 6 coordinates,
%
% or a sum of cubic finite elements (31 coordinates).  A moment of muscles of the same shape drives it and moves
% from half of the arm to 0.9 of it within 2 s.
%
%   tendril sim octopus_arm.m
%   tendril sim octopus_arm.m --set basis=cubic
%
% Expect: the arm, curled up at the start, unrolls from its base to its tip, which ends far out at the left.  The tips
% of both bases are never further apart than 2.9 % of the length, 0.37 % on average (the paper has 6.59 and 3.39 %: its
% toolbox has a mistake in the derivative of the bell, see docs/published.md).

basis = param('basis', 'dependent');   % 'dependent': the travelling bell; 'cubic': ten elements

world.g = [0 0 -9.81];                 % without effect: the arm is as heavy as water
fluid.rho = 1000;

L = 0.2; x = s/L;
E = 1e4;
r = 0.01 - 0.009*x;

rod(1).model  = 'gvs'; rod(1).magnus = 4;   % as published
rod(1).tr(1).rot = [2 -pi/6];          % 30 degrees upwards
rod(1).tr(2).rot = [2*pi/3 1 1 1];     % local z along x, local x along y
rod(1).length = L; rod(1).radius = r;
rod(1).E = E; rod(1).nu = 0.5; rod(1).rho = 1000;
rod(1).fluid.drag = [1.1 1.1 0]; rod(1).fluid.lift = -0.1; rod(1).fluid.added_mass = [0.6 0.6 0];

if strcmp(basis, 'dependent')
  rod(1).coords = 6;
  c = coord(rod(1));
  rod(1).strain = [0 0 0 (c(1)/(1 + (c(2)*(x - c(3)))^2) + c(4) + c(5)*x + c(6)*x^2)/L 0 0];
  rod(1).init   = [-14.5 10.7 0.5 0 0 0];
else
  rod(1).basis = basis; rod(1).elements = 10; rod(1).points = 4;
  rod(1).order = [-1 -1 -1 3 -1 -1];
  rod(1).init  = [0 0 0 -14.5/(1 + (10.7*(x - 0.5))^2)/L 0 0];
end

sharp = 53.4 - 10*t;                   % of the moment [1/m]
where = 0.5 + 0.2*t;
rod(1).input = [0 0 0 -1.36*E*pi*r^4/4*sharp/(1 + (sharp*L*(x - where))^2) 0 0];

sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), L);

par.t_final = 2; par.dt_out = 0.01;
par.solver = 'stiff'; par.atol = 1e-4;  % of curvatures up to 70 1/m
