% Springs of a spherical and a free joint, and a ball whose motion is given and starts with a jump.
world.g = [0 0 -9.81];
for k = 1:4, body(k).m = 0.4; body(k).I = 1e-2*diag([1 2 2.5]); body(k).l_com = [0.05 0.02 -0.1]; end
joint(1).second = 1; joint(1).type = 'spherical';
joint(2).second = 2; joint(2).type = 'free'; joint(2).tr.trans = [1 0 0];
joint(3).second = 3; joint(3).type = 'spherical'; joint(3).motion = [0.4*sin(t) 0.3*t ramp(t, 0.1, 1.1)];
joint(4).first = 3; joint(4).second = 4; joint(4).tr.trans = [0.2 0 0]; joint(4).tr.rot = [1 inf]; joint(4).dof(1).damp.visc = 0.01;
for i = 1:3
  joint(1).dof(i).spring.coeff = i; joint(1).dof(i).spring.init = 0.2*i - 0.5; joint(1).dof(i).rate = 3 - 2*i;
  joint(2).dof(i).spring.coeff = 100*i; joint(2).dof(3 + i).spring.coeff = i; joint(2).dof(3 + i).damp.visc = 0.01*i;
end
sensor(1).name = 'y'; sensor(1).value = [omega(body(1)) pos(body(2)) quat(body(2)) dof(joint(4), 1) ddof(joint(4), 1)];
par.t_final = 0.25;
