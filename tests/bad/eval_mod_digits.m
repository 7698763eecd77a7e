body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
x = mod(1e20, 3); y = rem(-1e17, 5); z = mod(1e15, 3);
joint(1).dof.init = x*0 + y*0 + z*0;
