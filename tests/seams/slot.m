% A bead in a curved slot of a turning arm, with a pin that turns behind it, and another in a slot of the ground that goes as far.
world.g = [1 2 -9.81]; q = dof(joint(2), 1); k = param('k', 0.25);
for i = 1:3, body(i).m = 0.5*i; body(i).I = 1e-2*diag([1 2 2.5]); body(i).l_com = [0.05 0.1 -0.1]; end
joint(1).second = 1; joint(1).type = 'spherical'; joint(1).dof(2).rate = 0.4;
joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [0.1 0 0.2]; joint(2).tr.rot = [1 0.3];
joint(2).curve = [0.3*sin(q) k*q^2 0.2*exp(q/2)]; joint(2).type = 'revolute';
joint(2).dof(1).init = 0.4; joint(2).dof(1).rate = 0.7; joint(2).dof(1).spring.coeff = 3; joint(2).dof(1).damp.visc = 0.1;
p = dof(joint(3), 1); joint(3).second = 3; joint(3).curve = [cos(p) 0.1*p 0.4*p^2]; joint(3).dof(1).equal2 = [2 1];
sensor(1).name = 'y'; sensor(1).value = [quat(body(1)) pos(body(2)) vel(body(2)) acc(body(2)) acc(body(3)) dof(joint(2), 1) energy];
par.t_final = 0.25;
