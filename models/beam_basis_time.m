% A beam whose basis depends on time: a moment inside the beam, a triangle 0.08 m wide, travels from the base to the tip
% within 2 s, and one bell of curvature travels with it (section 4.1 of the SoRoSim paper).
%
%   kappa L = q1 exp(-q2^2 (x - t/2)^2)                     x = s/L, 2 coordinates: height and sharpness of the bell
%
% against ten cubic finite elements (31 coordinates).  Published: E, radius, length, basis, moment.  Chosen here, as it
% is not published: density 1 kg/m^3 (with that of silicone the beam's first frequency is 0.2 Hz, and nothing could
% follow within 2 s), viscosity 1e4 Pa s, no gravity, start at rest in the shape of the moment.
%
%   tendril sim beam_basis_time.m
%   tendril sim beam_basis_time.m --set basis=cubic
%
% Expect: a kink of about 28 degrees travels along the beam; the tip rises to z = 0.38 m and comes down to 0.  The tips
% of both bases are at most 2.5 % of the length apart, 0.5 % on average.

basis = param('basis', 'dependent');

L = 0.8; x = s/L; tf = 2; r = 0.015; E = 1e6;
rod(1).model = 'gvs'; rod(1).magnus = 4;   % as published
rod(1).tr.rot = [2*pi/3 1 1 1];
rod(1).length = L; rod(1).radius = r; rod(1).E = E; rod(1).nu = 0.5; rod(1).rho = 1; rod(1).eta = 1e4;

if strcmp(basis, 'dependent')
  rod(1).coords = 2; rod(1).points = 60;
  c = coord(rod(1));
  rod(1).strain = [0 0 0 c(1)*exp(-c(2)^2*(x - t/tf)^2)/L 0 0];
  rod(1).init = [-10 30];
else
  rod(1).basis = basis; rod(1).elements = 10; rod(1).order = [-1 -1 -1 3 -1 -1]; rod(1).points = 6;
  rod(1).init = [0 0 0 -10*exp(-900*x^2)/L 0 0];
end
rod(1).input = [0 0 0 -0.5*max(0, 1 - abs(x - t/tf)/0.05) 0 0];    % upwards

sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), L);
par.t_final = tf; par.dt_out = 0.01;
