% The cable manipulator of models/cable_manipulator.m (30 coordinates) with its tensions as parameters, for sweeps of its
% equilibria (docs/sweep.md).

T1 = param('T1', 0, [0 15]);  T2 = param('T2', 0, [0 20]);  T3 = param('T3', 0, [0 60]);  T4 = param('T4', 0, [0 25]);

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
cable(1).tension = T1;
cable(2).tension = T2;
cable(3).tension = T3;
cable(4).tension = T4;

sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), 0.3);
par.t_final = 8; par.dt_out = 0.02;
