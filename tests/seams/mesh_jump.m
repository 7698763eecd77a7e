% A ring of threads on a tray that is moved with a jump.
world.g = [0 0 -9.81]; par.linear = 'sparse';
body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [0 0 inf]; joint(1).dof(1).motion = 0.4*abs(t - 0.021);
mesh(1).node = [0 0 0; 0.1 0 0; 0.2 0 0; 0.1 0.1 0; 0.1 -0.1 0]; mesh(1).edge = [1 2; 2 3; 2 4; 2 5]; mesh(1).fixed = 'none';
mesh(1).body.m = 0.02; mesh(1).joint(2).spring.coeff = 100; mesh(1).joint(2).spring.compr = 0.95; mesh(1).joint(2).damp.visc = 0.2; mesh(1).joint(2).damp.along = 1; mesh(1).joint(2).dir = 1;
n = [1 3 4 5]; p = [0 0; 0.2 0; 0.1 0.1; 0.1 -0.1];
for k = 1:4, joint(1 + k).first = 1; joint(1 + k).second = at(mesh(1), n(k)); joint(1 + k).tr.trans = [p(k, :) -0.4*0.021]; joint(1 + k).fixed = [1 1 1]; end
sensor(1).name = 'p'; sensor(1).value = [pos(mesh(1), 2) vel(mesh(1), 2)];
par.t_final = 0.1;
