% A helical joint that closes a loop: a shaft turns under a torque and moves a nut that cannot turn.
h = param('h', 0.01); world.g = [0 0 -9.81];
body(1).m = 1; body(1).I = diag([1 1 0.003]); joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).input = 0.5;
body(2).m = 2; body(2).I = eye(3); joint(2).second = 2; joint(2).tr.trans = [0 0 inf]; joint(2).dof(1).init = 0.3;
joint(3).first = 1; joint(3).second = 2; joint(3).type = 'helical'; joint(3).pitch = h;
sensor(1).name = 'y'; sensor(1).value = [dof(joint(1), 1) dof(joint(2), 1) lambda(joint(3))(3)];
par.t_final = 0.5;
