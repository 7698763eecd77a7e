body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
joint(1).dof.spring.coeff = 1,5;
l = -0,05
x = [1,5]; y = max(1,5); z = 1, w = 2
