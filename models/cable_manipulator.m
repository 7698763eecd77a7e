% A soft manipulator driven by four cables: a silicone rod of two divisions, 0.15 m each, clamped at the wall along
% +x, gravity along -z (the manipulator of section 5.1 of the SoRoSim paper, with its parameters).
%
% Cable 1 runs in the first division, cable 2 in the second, cable 3 winds around both as a helix, cable 4 crosses from
% one side to the other.  They are drawn one after the other between 0 and 6 s and stay drawn.
%
%   tendril sim cable_manipulator.m                        30 coordinates, 8 s
%   tendril sim cable_manipulator.m --set basis=quadratic  the same with finite elements of strain
%
% Expect: the tip leaves x = 0.3 m, curls up within 6 s and rests; both bases end within 5 % of the length of each
% other (4.58 % at most, 2.69 % on average), since 15 functions per division do not resolve the helix alike.

basis = param('basis', 'legendre');    % 'legendre' of order 4, or 'quadratic' on two elements

world.g = [0 0 -9.81];

rod(1).model  = 'gvs';
rod(1).tr.rot = [2*pi/3 1 1 1];        % local z along world x, local x along y
rod(1).radius = 0.015;
rod(1).E = 1e6; rod(1).nu = 0.5; rod(1).rho = 1000; rod(1).eta = 1e4;
rod(1).order  = [-1 -1 -1 4 4 4];      % bending and twist
rod(1).basis  = basis;
rod(1).magnus = 4;                     % as published
if strcmp(basis, 'legendre')
  rod(1).points = 5;
else
  rod(1).elements = 2; rod(1).points = 3;
end
rod(1).part(1).length = 0.15;
rod(1).part(2).length = 0.15;

cable(1).path = [0.01 0];                      cable(1).to = 0.15;
cable(2).path = [-0.01 0];                     cable(2).from = 0.15;
cable(3).path = 0.01*[sin(50*s) cos(50*s)];
cable(4).path = [0 0.01 - 0.066667*s];
cable(1).tension = 30*ramp(t, 4, 6);
cable(2).tension = 40*ramp(t, 1, 3);
cable(3).tension = 120*ramp(t, 0, 4);
cable(4).tension = 50*ramp(t, 3, 5);

sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), 0.3);

par.t_final = 8; par.dt_out = 0.02;
