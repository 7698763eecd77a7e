% A net of points, one of which is set in motion by a constraint, with a jump of its speed.
world.g = [0 0 -9.81]; par.linear = 'sparse';
mesh(1).grid = [3 3]; mesh(1).size = [0.2 0.2]; mesh(1).body.m = 0.02;
mesh(1).joint(2).spring.coeff = 200; mesh(1).joint(2).damp.visc = 0.2; mesh(1).joint(2).damp.along = 1;
joint(1).second = at(mesh(1), 9); joint(1).tr.trans = [0.2 0.2 0]; joint(1).fixed = [1 1 1]; joint(1).motion = [0 0 0.3*ramp(t, 0.03, 1.03)];
sensor(1).name = 'p'; sensor(1).value = [pos(mesh(1), 5) pos(mesh(1), 9)];
par.t_final = 0.1;
