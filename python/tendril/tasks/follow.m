% Learn to follow a moving target with the tip of a soft arm.
%
% A silicone arm of 0.2 m hangs from the ceiling and is bent by two pairs of cables, each pulled against the other.  The
% target leaves the place of the tip at rest within half a second and goes around a circle whose radius, speed and phase
% are drawn at each reset.  Observed: tip and its velocity across the arm, target and its velocity.

bend_x = input('bend_x', 0, [-1 1]);  bend_y = input('bend_y', 0, [-1 1]);
radius = param('random_radius', 0.03, [0.02 0.04]);                  % of the circle [m]
speed  = param('random_speed', 3, [2 4]);                            % along it [rad/s]
phase  = param('random_phase', 0, [0 2*pi]);

world.g = [0 0 -9.81];
L = 0.2;  T = 3;
rod(1).model = 'gvs';  rod(1).length = L;  rod(1).radius = 0.01;
rod(1).tr.rot = [pi 1 0 0];                                          % it hangs: local z points down
rod(1).E = 3e5;  rod(1).nu = 0.5;  rod(1).rho = 1070;  rod(1).eta = 6e3;
rod(1).order = [-1 -1 -1 1 1 -1];                                    % bending, linear along the arm
cable(1).path = [0.008 0];   cable(1).tension = T*(1 + bend_x);
cable(2).path = [-0.008 0];  cable(2).tension = T*(1 - bend_x);
cable(3).path = [0 0.008];   cable(3).tension = T*(1 - bend_y);
cable(4).path = [0 -0.008];  cable(4).tension = T*(1 + bend_y);

tip = pos(rod(1), L);  rate = vel(rod(1), L);
ahead = ramp(t, 0, 0.5);  lead = ahead^2*(3 - 2*ahead);
angle = speed*t + phase;
target = radius*lead*[cos(angle) sin(angle)];
moving = radius*lead*speed*[-sin(angle) cos(angle)];                 % its velocity, but for the first half second
gap = hypot(tip(1) - target(1), tip(2) - target(2));

sensor(1).name = 'observe';  sensor(1).value = [10*tip(1) 10*tip(2) rate(1) rate(2) 10*target moving];
sensor(2).name = 'reward';   sensor(2).value = -gap;                 % distance between tip and target [m]
par.t_final = 2;  par.dt_out = 0.05;                                 % an episode, and the time between two actions
par.solver = 'fixed';  par.step = 0.0125;
