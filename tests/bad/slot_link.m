body(1).m = 1; joint(1).second = 1; joint(1).type = 'free';
joint(2).second = 1; joint(2).curve = [dof(joint(2), 1) 0 0]; joint(2).spring.coeff = 1;
