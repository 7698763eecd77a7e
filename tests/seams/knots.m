% A base driven along a table with linear interpolation: a jump at every knot; an arm hangs from it.
world.g = [0 -9.81 0];
body(1).m = 1; body(1).I = 0.01*eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
joint(1).dof(1).motion = interp1(0:0.05:1, 0.1*sin(4*(0:0.05:1)), t);
body(2).m = 0.5; body(2).I = 0.001*eye(3); body(2).l_com = [0.1 0 0]; joint(2).first = 1; joint(2).second = 2;
joint(2).tr.rot = [3 inf]; joint(2).dof.init = 0.7;
sensor(1).name = 'a'; sensor(1).value = [dof(joint(2), 1) ddof(joint(2), 1)];
par.t_final = 0.33;
