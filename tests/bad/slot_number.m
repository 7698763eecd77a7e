body(1).m = 1; joint(1).second = 1; joint(1).tr.rot = [3 inf];
joint(1).curve = [dof(joint(1), 1) 0 0];
