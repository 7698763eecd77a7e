% A net of springs in a frame, that sags under its weight and is pushed in the middle.
%
%   tendril run net.m               equilibrium, natural frequencies and motion
%   tendril view net.m              the net live in a browser, while you edit this file
%   tendril run net.m --set n=11    a finer net
%
% z points up.  Nodes are point masses, numbered along x first; cords do not push.

n = param('n', 5);                     % free nodes along each side
width = 0.1;                           % of a mesh [m]
k = param('k', 200, [50 1000]);        % stiffness of a cord [N/m]
F = param('F', -0.5, [-2 2]);          % force on the middle node [N]

world.g = [0 0 -9.81];

mesh.name = 'net';
mesh.grid = [n+2 n+2];                 % nodes along x and y
mesh.size = [(n+1)*width (n+1)*width]; % [m]
mesh.fixed = 'frame';                  % its border does not move
mesh.body.m = 0.02;                    % mass of a node [kg]
mesh.joint(1).tr.trans = [inf inf inf];
mesh.joint(2).spring.coeff = k;
mesh.joint(2).spring.init = nan;       % its length is the distance of its nodes,
mesh.joint(2).spring.compr = 0.95;     % times this: the net is under tension
mesh.joint(2).damp.visc = 0.05;        % [N s/m]
mesh.joint(2).dir = 1;                 % pulls only

middle = (n+2)*(n+1)/2 + (n+3)/2;      % number of the middle node, for odd n
exload(1).exbody = middle;
exload(1).ftau = [0 0 F*ramp(t, 0.5, 1)];

sensor(1).name = 'middle';
sensor(1).value = pos(mesh(1), middle);

par.t_final = 2;                       % [s]
par.dt_out = 0.01;
