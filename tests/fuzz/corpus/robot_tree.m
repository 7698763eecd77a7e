world.g = [.3 -.5 -9.81];
for k = 1:5, body(k).m = 0.5 + k/7; body(k).I = diag([.01 .02 .025]*k) + 1e-3*[0 1 0;1 0 1;0 1 0]; body(k).l_com = [.1 .02*k -.2]; end
joint(1).second = 1; joint(1).type = 'free';
joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [.1 .2 .3]; joint(2).tr(1).rot = [3 .4]; joint(2).type = 'helical'; joint(2).axis = [1 2 .5]; joint(2).pitch = .07;
joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [.2 inf 0]; joint(3).tr(1).rot = [inf inf inf];
joint(4).first = 2; joint(4).second = 4; joint(4).tr(1).trans = [0 0 -.4]; joint(4).tr(1).rot = [0 inf inf inf]; joint(4).tr(2).trans = [.1 0 0]; joint(4).tr(2).rot = [2 inf];
joint(5).first = 4; joint(5).second = 5; joint(5).type = 'spherical'; joint(5).tr.trans = [0 .1 .1];
joint(5).dof(1).damp.visc = .1; joint(5).dof(2).input = .2;
