% A swimming robot: a rigid head with a soft tail in water, driven by a travelling wave of bending.
%
%   tendril run swimmer.m                       the motion
%   tendril view swimmer.m                      the robot live in a browser, while you edit this file
%   tendril sim swimmer.m --set frequency=2     a faster stroke
%
% The head moves freely in the plane of x and y; it swims along -x.  Head and tail are as heavy as the
% water that they displace.

L = 0.25;                                  % length of the tail [m]
frequency = param('frequency', 1, [0.2 3]);     % of the stroke [Hz]
bend = param('bend', 6, [0 15]);           % amplitude of the curvature that muscles ask for [1/m]
E = param('E', 2e5, [5e4 1e6]);            % Young's modulus [Pa]

world.g = [0 0 -9.81];
fluid.rho = 1000;                          % [kg/m^3]

% ---- head ------------------------------------------------------------------------------------
body(1).name = 'head';
body(1).m = 0.15;
body(1).I = 1e-4*eye(3);
body(1).fluid.volume = body(1).m/1000;     % it floats
body(1).fluid.drag_matrix = diag([1 4 4 2e-3 2e-3 2e-3]);
joint(1).second = 1;
joint(1).tr(1).trans = [inf inf 0];        % free along x and y,
joint(1).tr(2).rot = [3 inf];              % and to turn about z

% ---- tail: its local z axis along x, its local x axis along y ---------------------------------
rod(1).name = 'tail';
rod(1).model = 'gvs';
rod(1).first = 1;
rod(1).tr(1).trans = [0.04 0 0];
rod(1).tr(2).rot = [2*pi/3 1 1 1];
rod(1).length = L;
rod(1).radius = 0.012 - 0.032*s;
rod(1).E = E;
rod(1).nu = 0.5;
rod(1).rho = 1000;
rod(1).eta = 2e3;
rod(1).order = [-1 -1 -1 -1 4 -1];         % bends in the plane of x and y
rod(1).fluid.drag = [1.1 1.1 0.01];
rod(1).fluid.added_mass = [0.6 0.6 0];

% ---- muscles: a moment that travels along the tail, begun within the first second -------------
EI = E*pi*(0.012 - 0.032*s)^4/4;           % bending stiffness [N m^2]
wave = bend*sin(2*pi*(frequency*t - s/L));
rod(1).input = [0 0 0 0 EI*wave*ramp(t, 0, 1) 0];

sensor(1).name = 'head';
sensor(1).value = pos(body(1));
sensor(2).name = 'fin';
sensor(2).value = pos(rod(1), L);

par.equil = 0;                             % it floats: every place is an equilibrium
par.modal = 0;
par.t_final = 5;                           % [s]
par.dt_out = 0.02;
