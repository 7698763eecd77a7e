% An event that ends the run.
world.g = [0 0 -9.81]; body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [0 0 inf]; joint(1).dof(1).init = 1;
event(1).when = pos(body(1))(3) - 0.5; event(1).then = 'stop';
sensor(1).name = 'z'; sensor(1).value = dof(joint(1), 1);
par.t_final = 1;
