% One cantilever, every basis: a silicone beam along +x is released under its weight and swings (after section 3 of the
% SoRoSim paper, whose beam is not published: E = 1 MPa, radius 15 mm and length 0.5 m are chosen here).
%
%   tendril sim beam_bases.m --set basis=chebyshev --set order=4
%   tendril sim beam_bases.m --set basis=quadratic --set elements=2
%
% Expect: with five functions of each curvature the tips of all bases agree within a millimetre or two; Legendre,
% Chebyshev and monomial functions of one order span the same space and agree to the solver's tolerance.

basis = param('basis', 'legendre');    % or constant, monomial, chebyshev, fourier, linear, quadratic, cubic, hermite,
                                       % gaussian, multiquadric
order = param('order', 4);
elements = param('elements', 1);

world.g = [0 0 -9.81];
rod(1).model = 'gvs';
rod(1).tr.rot = [2*pi/3 1 1 1];
rod(1).length = 0.5; rod(1).radius = 0.015;
rod(1).E = 1e6; rod(1).nu = 0.5; rod(1).rho = 1000; rod(1).eta = 1e4;
rod(1).basis = basis; rod(1).elements = elements;
rod(1).order = [-1 -1 -1 order order order];
rod(1).points = param('points', 10); rod(1).magnus = 4;   % as published

sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), 0.5);
par.t_final = 2; par.dt_out = 0.01;
