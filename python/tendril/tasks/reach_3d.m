% Learn to reach around two obstacles in space.
%
% An arm of two sections, 0.15 m each, hangs from the ceiling; two pairs of cables end in each section, and each pair is
% pulled against the other.  Two balls hang beside the arm, and the goal, drawn at each reset, lies behind them.
% Observed: the ends of both sections, and the goal.  The episode ends when the tip is within 5 mm of it.

bend = {input('bend_1x', 0, [-1 1]), input('bend_1y', 0, [-1 1]), input('bend_2x', 0, [-1 1]), input('bend_2y', 0, [-1 1])};
goal = [param('random_x', 0.08, [0.06 0.09]), param('random_y', 0.03, [0.02 0.05]), param('random_z', -0.25, [-0.26 -0.24])];

world.g = [0 0 -9.81];
L = 0.15;  T = 3;  r = 0.008;
rod(1).model = 'gvs';  rod(1).radius = 0.01;
rod(1).part(1).length = L;  rod(1).part(2).length = L;
rod(1).tr.rot = [pi 1 0 0];                                          % it hangs: local z points down
rod(1).E = 3e5;  rod(1).nu = 0.5;  rod(1).rho = 1070;  rod(1).eta = 6e3;
rod(1).order = [-1 -1 -1 1 1 -1];
for k = 1:4                                                          % pair k: along x, along y, of both sections
  side = r*[mod(k, 2), 1 - mod(k, 2)];  to = ceil(k/2)*L;
  cable(2*k - 1).path = side;  cable(2*k - 1).to = to;  cable(2*k - 1).tension = T*(1 + bend{k});
  cable(2*k).path = -side;     cable(2*k).to = to;      cable(2*k).tension = T*(1 - bend{k});
end
ball = [0.055 0.01 -0.2; 0.04 -0.02 -0.28];                          % centres of the balls [m]
for k = 1:2
  contact(k).first = rod(1);  contact(k).second = 'sphere';  contact(k).center = ball(k, :);  contact(k).radius = 0.02;
  contact(k).stiffness = 2e3;  contact(k).damping = 5;
end

middle = pos(rod(1), L);  tip = pos(rod(1), 2*L);
gap = sqrt(sum((tip - goal).^2));

sensor(1).name = 'observe';  sensor(1).value = 10*[middle tip goal];
sensor(2).name = 'reward';   sensor(2).value = -gap;
sensor(3).name = 'done';     sensor(3).value = 0.005 - gap;
par.t_final = 2;  par.dt_out = 0.1;
par.rtol = 1e-4;  par.atol = 1e-6;
