% Three elements that share the numbers of their rotations.
world.g = [1 0 -9.81]; body(1).m = 0.3; body(1).I = 1e-3*diag([1 2 2.5]); body(1).l_com = [0 0 0.05];
joint(1).first = [1 0:2]; joint(1).second = [1 1:3]; joint(1).tr.trans = [0 0 0.1]; joint(1).tr.rot = [0 inf inf inf];
for i = 1:3, joint(1).dof(i).spring.coeff = i; joint(1).dof(i).damp.visc = 0.1*i; joint(1).dof(i).equal2 = [1 1 i]; end
sensor(1).name = 'tip'; sensor(1).value = [dof(joint(1), 1) dof(joint(1), 2) energy()];
par.t_final = 0.3;
