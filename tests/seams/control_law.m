% A controller and an event of the model.
F = input('F', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0]; joint(1).dof(1).init = 0.2;
joint(1).dof(1).input = F; control(1).inputs = 'F'; control(1).law = 1 - 50*dof(joint(1), 1) - 5*ddof(joint(1), 1); par.control.rate = 30;
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);
par.t_final = 0.3;
