body(1).m = 1; body(2).m = 1; joint(1).second = 1; joint(2).second = 2; joint(2).tr.rot = [3 inf];
joint(1).curve = [dof(joint(2), 1) 0 0];
