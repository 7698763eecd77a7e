world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = .1*eye(3); body(1).l_com = [.2 0 0]; body(2).m = 2; body(2).I = .2*eye(3); body(2).l_com = [.3 0 .1];
body(3).m = .4; body(3).I = .01*diag([1 2 2.5]); body(3).l_com = [0 0 .2];
joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).motion = 2*t + .3*sin(2*t);
joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.5 0 0]; joint(2).tr.rot = [2 inf]; joint(2).dof(1).spring.coeff = 4; joint(2).dof(1).damp.visc = .2;
joint(3).first = 2; joint(3).second = 3; joint(3).tr.trans = [.4 0 0]; joint(3).tr.rot = [1 inf]; joint(3).dof(1).equal2 = [2 1];
sensor(1).name = 'e'; sensor(1).value = force(joint(1));
