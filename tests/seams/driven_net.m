% A net whose corner starts with a jump, sparse.
world.g = [0 0 -9.81]; par.linear = 'sparse';
for k = 1:6, body(k).m = 0.1; body(k).I = 1e-4*eye(3); joint(k).second = k; joint(k).tr.trans = [inf inf inf]; joint(k).dof(1).init = 0.1*k; end
joint(1).dof(3).motion = 0.5*ramp(t, 0.05, 1.05); joint(1).dof(1).motion = 0.1; joint(1).dof(2).motion = 0;
for k = 1:5, joint(6 + k).first = k; joint(6 + k).second = k + 1; joint(6 + k).spring.coeff = 300; joint(6 + k).spring.init = nan; joint(6 + k).damp.visc = 0.3; joint(6 + k).damp.along = 1; end
sensor(1).name = 'p'; sensor(1).value = [pos(body(2)) pos(body(6))];
par.t_final = 0.1;
