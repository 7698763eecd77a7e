% A simple pendulum with a little friction, the smallest useful model.
%
% A uniform rod of 1 m and 1 kg hangs from a hinge at the origin and is let go from 60 degrees.
% Expect: equilibrium hanging straight down; one mode at sqrt(3 g / (2 l)) / (2 pi) = 0.611 Hz
% (undamped); an oscillation that loses energy slowly, by exactly the work of the damper.

l = 1;                                  % length [m]
m = param('m', 1);                      % mass [kg]

world.g = [0 0 -9.81];

body(1).name = 'rod';
body(1).m = m;
body(1).I = m*l^2/12 * diag([1 1 0.001]);
body(1).l_com = [0 0 -l/2];
body(1).tip = [0 0 -l];

joint(1).name = 'hinge';
joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];           % turns about the y axis
joint(1).dof(1).init = deg2rad(60);
joint(1).dof(1).damp.visc = 0.02;       % [N m s/rad]

sensor(1).name = 'tip';
sensor(1).value = pos(body(1), [0 0 -l]);

par.t_final = 10;
par.dt_out = 0.02;
par.rtol = 1e-8;
