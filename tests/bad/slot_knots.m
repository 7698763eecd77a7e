q0 = dof(joint(1), 1); body(1).m = 1; joint(1).second = 1;
joint(1).curve = [q0 0 interp1([-1 0 1], [0 0 1], q0)];
