% A beam whose basis depends on its state: a distributed moment that follows the beam, a triangle 0.08 m wide, travels
% from a quarter to three quarters of it within 5 s; the curvature is a step that may grow, steepen and travel (section
% 4.2 of the SoRoSim paper).
%
%   kappa L = q1/(1 + exp(q2 (x - q3)))                     x = s/L, 3 coordinates
%
% against ten cubic finite elements (31 coordinates).  Published: E, radius, length, basis, load.  Chosen here, as it is
% not published: density 1000 kg/m^3, viscosity 1e5 Pa s, no gravity, start at rest in the static shape.
%
%   tendril sim beam_basis_state.m
%   tendril sim beam_basis_state.m --set basis=cubic
%
% Expect: curvature is the moment beyond a place over EI: 1 1/m before the load, none behind it.  As the load travels
% more of the beam bends: the tip rises from z = 0.14 m to 0.29 m.  Both bases agree within 0.7 % of the length.

basis = param('basis', 'dependent');

L = 0.8; x = s/L; tf = 5; r = 0.015; E = 1e6;
rod(1).model = 'gvs'; rod(1).magnus = 4;   % as published
rod(1).tr.rot = [2*pi/3 1 1 1];
rod(1).length = L; rod(1).radius = r; rod(1).E = E; rod(1).nu = 0.5; rod(1).rho = 1000; rod(1).eta = 1e5;

if strcmp(basis, 'dependent')
  rod(1).coords = 3; rod(1).points = 60;
  c = coord(rod(1));
  rod(1).strain = [0 0 0 c(1)/(1 + exp(c(2)*(x - c(3))))/L 0 0];
  rod(1).init = [-0.8 70 0.25];
else
  rod(1).basis = basis; rod(1).elements = 10; rod(1).order = [-1 -1 -1 3 -1 -1]; rod(1).points = 6;
  rod(1).init = [0 0 0 -0.8/(1 + exp(70*(x - 0.25)))/L 0 0];
end
rod(1).load = [0 0 0 -max(0, 1 - abs(x - 0.25 - t/2/tf)/0.05) 0 0];   % upwards
rod(1).load_frame = 'local';

sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), L);
par.t_final = tf; par.dt_out = 0.02;
