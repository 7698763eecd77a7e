% Learn inverse kinematics: bring the tip of a soft arm to a place and into a direction.
%
% An arm of two sections, 0.15 m each, hangs from the ceiling; two pairs of cables end in each section, and each pair is
% pulled against the other.  Place (x, y) and direction of the goal are drawn at each reset: four numbers for four inputs,
% the height of the tip follows.  Observed: place and direction of the tip, then those of the goal.  The episode ends when
% the tip is within 5 mm and 0.1 rad of the goal.

bend = {input('bend_1x', 0, [-1 1]), input('bend_1y', 0, [-1 1]), input('bend_2x', 0, [-1 1]), input('bend_2y', 0, [-1 1])};
goal = [param('random_x', 0.03, [-0.03 0.03]), param('random_y', 0, [-0.03 0.03])];
tilt_x = param('random_tilt_x', 0, [-0.2 0.2]);  tilt_y = param('random_tilt_y', 0, [-0.2 0.2]);

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

tip = pos(rod(1), 2*L);  R = rot(rod(1), 2*L);  direction = [R(1, 3) R(2, 3) R(3, 3)];
wanted = [sin(tilt_x), cos(tilt_x)*sin(tilt_y), -cos(tilt_x)*cos(tilt_y)];
gap = hypot(tip(1) - goal(1), tip(2) - goal(2));
angle = sqrt(sum((direction - wanted).^2));                          % the chord: the angle, when it is small

sensor(1).name = 'observe';  sensor(1).value = [10*tip direction 10*goal wanted];
sensor(2).name = 'reward';   sensor(2).value = -gap - 0.05*angle;
sensor(3).name = 'done';     sensor(3).value = min(0.005 - gap, 0.1 - angle);
par.t_final = 2;  par.dt_out = 0.1;
par.rtol = 1e-4;  par.atol = 1e-6;
