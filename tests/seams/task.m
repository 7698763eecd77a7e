% A task that has an integral.
F = input('F', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0]; joint(1).dof(1).init = 0.2;
joint(1).dof(1).input = F; task(1).value = pos(body(1))(1); task(1).desired = 0.1; task(1).P = 50; task(1).D = 8; task(1).I = 60; task(1).inputs = 'F';
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);
par.t_final = 0.3;
