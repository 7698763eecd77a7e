% A rod that falls across another one, whose base is moved as given, with a jump of its speed.
world.g = [0 0 -9.81]; r = param('r', 0.005);
body(1).m = 0.05; body(1).I = 1e-4*eye(3); joint(1).second = 1; joint(1).tr.trans = [0 0 inf]; joint(1).dof(1).init = 0.0103;
body(2).m = 1; body(2).I = eye(3); joint(2).second = 2; joint(2).tr.trans = [0 0 inf]; joint(2).dof(1).motion = 0.1*ramp(t, 0.012, 1.012);
rod(1).first = 1; rod(1).tr.trans = [-0.1 0 0]; rod(1).tr.rot = [2 pi/2];
rod(2).first = 2; rod(2).tr.trans = [0 -0.1 0]; rod(2).tr.rot = [1 -pi/2];
for k = 1:2, rod(k).length = 0.2; rod(k).radius = r; rod(k).E = 1e6; rod(k).rho = 1000; rod(k).eta = 1e3; rod(k).model = 'ebr'; rod(k).n = 3; end
rod(1).modes = [0 0 0 0 1 0]; rod(2).modes = [0 0 0 1 0 0];
contact(1).first = rod(1); contact(1).second = rod(2); contact(1).stiffness = 1e4; contact(1).damping = 1; contact(1).friction = 0.2;
sensor(1).name = 'z'; sensor(1).value = [pos(rod(1)) pos(rod(2)) vel(rod(1), 0.1)];
par.t_final = 0.03;
