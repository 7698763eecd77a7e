% A square net in a frame, sagging under its weight.
%
%      o--o--o--o--o      o  node of the frame, fixed
%      |  |  |  |  |
%      o--*--*--*--o      *  knot, a point mass
%      |  |  |  |  |
%      o--*--*--*--o      -- cord under tension: 5 % shorter than the mesh it spans
%      |  |  |  |  |
%      o--o--o--o--o
%
% n x n knots of 20 g, 0.1 m apart, on cords of 200 N/m.  A cord does not push (`dir`).
%
% Expect, with n = 5: the middle knot sags by 41.84 mm, the knot next to a corner by 15.82 mm, and the net vibrates about
% that shape from 20.80 rad/s (3.31 Hz) on; the second and third mode have the same frequency, 27.80 rad/s, as the net is
% square.  In `sim` it drops from the flat shape, swings about the sag with 3.3 Hz and comes to rest.
%
% F pushes the middle knot upwards.  A net of 1089 knots as a linear model of 20 modes and one static shape, and its
% frequency response beside that of all 3267 coordinates:
%
%   tendril bode models/hanging_net.m --set n=33 --range 0.2:2 --reduce 20 --correct
%   tendril bode models/hanging_net.m --set n=33 --range 0.2:2

n = param('n', 5);                          % knots along each side
a = 0.1;                                    % mesh width [m]
k = param('k', 200);                        % stiffness of a cord [N/m]
visc = param('visc', 0.05);                 % and its damping [N s/m]
F = input('F', 0);                          % [N]

world.g = [0 0 -9.81];

mesh.name = 'net';
mesh.grid = [n+2 n+2];
mesh.size = [(n+1)*a (n+1)*a];
mesh.fixed = 'frame';
mesh.body.m = 0.02;
mesh.joint(1).tr.trans = [inf inf inf];
mesh.joint(2).spring.coeff = k;
mesh.joint(2).spring.init = nan;            % the distance of its two knots,
mesh.joint(2).spring.compr = 0.95;          % of which it is 95 % long
mesh.joint(2).damp.visc = visc;
mesh.joint(2).dir = 1;

middle = (n+2)*(n+1)/2 + (n+3)/2;           % knots are numbered along x first
sensor(1).name = 'middle';
sensor(1).value = pos(mesh(1), middle);
exload(1).exbody = middle;  exload(1).ftau = [0 0 F];
sensor(2).name = 'corner';
sensor(2).value = pos(mesh(1), n+4);

output = {'middle', 'corner', 'energy'};
par.t_final = 2;
