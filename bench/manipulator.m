% The cable manipulator of models/cable_manipulator.m (30 coordinates) that never comes to rest: its four cables are drawn
% and let go with periods of their own.  For measurements of step times (docs/realtime.md).

world.g = [0 0 -9.81];
rod(1).model  = 'gvs';
rod(1).tr.rot = [2*pi/3 1 1 1];        % local z along world x, local x along y
rod(1).radius = 0.015;
rod(1).E = 1e6; rod(1).nu = 0.5; rod(1).rho = 1000; rod(1).eta = 1e4;
rod(1).order  = [-1 -1 -1 4 4 4];      % bending and twist
rod(1).magnus = 4;
rod(1).points = 5;
rod(1).part(1).length = 0.15;
rod(1).part(2).length = 0.15;

cable(1).path = [0.01 0];                      cable(1).to = 0.15;
cable(2).path = [-0.01 0];                     cable(2).from = 0.15;
cable(3).path = 0.01*[sin(50*s) cos(50*s)];
cable(4).path = [0 0.01 - 0.066667*s];
cable(1).tension = 15*(1 - cos(2.0*t));
cable(2).tension = 20*(1 - cos(2.7*t));
cable(3).tension = 60*(1 - cos(1.1*t));
cable(4).tension = 25*(1 - cos(3.1*t));

sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), 0.3);
par.t_final = 8; par.dt_out = 0.02;
