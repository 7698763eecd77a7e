% A bracket whose two edges are polynomial rods, with a parameter in their stiffness.
world.g = [0 0 -9.81]; par.linear = 'sparse';
k = param('k', 1);
mesh(1).node = [0 0 0; 0.2 0 0; 0.2 0.15 0]; mesh(1).edge = [1 2; 3 2]; mesh(1).fixed = 1;
mesh(1).body(1).m = 0.05; mesh(1).body(1).I = 2e-4*eye(3); mesh(1).body(2).m = 0.08; mesh(1).body(2).I = diag([1 1 2])*1e-4;
mesh(1).joint(1).tr.trans = [inf inf inf]; mesh(1).joint(1).tr.rot = [0 inf inf inf];
mesh(1).joint(2).rom.order = 2; mesh(1).joint(2).spring.coeff = k*[20 20 40 0.05 0.05 0.03]; mesh(1).joint(2).damp.visc = [0.2 0.2 0.4 5e-4 5e-4 3e-4];
exload(1).exbody = 3; exload(1).ftau = [0 0.05*sin(20*t) 0 0 0 0];
sensor(1).name = 'p'; sensor(1).value = [pos(mesh(1), 3) strain(rod(1), 0.1) pos(at(rod(2), 0.05))];
par.t_final = 0.03;
