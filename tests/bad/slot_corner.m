q0 = dof(joint(1), 1); body(1).m = 1; joint(1).second = 1;
joint(1).curve = [q0 0 abs(q0)];
