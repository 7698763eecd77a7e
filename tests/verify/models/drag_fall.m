% A mass that falls through a medium with quadratic drag.
world.g = [0 0 9.81];
body(1).m = 0.5;
body(1).I = zeros(3);
joint(1).second = 1;
joint(1).tr(1).trans = [0 0 inf];
joint(1).dof(1).damp.visc = 0.02;
joint(1).dof(1).damp.pow = 2;
sensor(1).name = 'y'; sensor(1).value = dof(joint(1), 1);
sensor(2).name = 'v'; sensor(2).value = ddof(joint(1), 1);
