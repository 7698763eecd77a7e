world.g = [0 -9.81];
body(1).m = -1;
body(1).I = diag([1 1 3]);
joint(1).second = 1;
joint(1).tr.rot = [2 -inf];
joint(1).dof(1).spring.cof = 3;
exload(1).exbody = -1;
par.solver = 'fast';
