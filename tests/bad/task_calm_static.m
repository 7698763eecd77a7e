F = input('F', 0);
body(1).m = 1; body(1).I = eye(3);
joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
joint(1).dof(1).input = F; joint(1).dof(1).spring.coeff = 1;
task(1).value = dof(joint(1), 1); task(1).desired = 0.1;
task(1).feedforward = 'static';
task(1).calm = 2;
