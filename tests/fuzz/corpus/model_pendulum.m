
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
