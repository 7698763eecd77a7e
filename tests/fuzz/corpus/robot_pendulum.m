world.g = [0 0 -9.81]; body(1).m = 1.3; body(1).I = diag([.1 .2 .25]); body(1).l_com = [.1 .2 -.5];
joint(1).second = 1; joint(1).tr(1).trans = [.3 0 1]; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 0.4;
sensor(1).name = 'tip'; sensor(1).value = pos(body(1), [0 0 -1]);
