% Radii of balls and of a cylinder, stiffness and friction of a contact as parameters.
world.g = [0 0 -9.81];
r = param('r', 0.05); R = param('R', 0.2); mu = param('mu', 0.3); kc = param('kc', 5e3);
for k = 1:2
  body(k).m = 0.3; body(k).I = 3e-4*eye(3); joint(k).second = k; joint(k).tr.trans = [inf 0 inf]; joint(k).tr(2).rot = [2 inf];
end
joint(1).dof(1).init = 0.05; joint(1).dof(2).init = 0.3; joint(2).dof(1).init = 0.02; joint(2).dof(2).init = 0.5;
contact(1).first = body(1); contact(1).second = 'cylinder'; contact(1).axis = [0 1 0]; contact(1).radius = R; contact(1).ball = r;
contact(2).first = body(1); contact(2).second = body(2); contact(2).ball = r; contact(2).ball2 = r;
for k = 1:2, contact(k).stiffness = kc; contact(k).damping = 1; contact(k).friction = mu; contact(k).slip = 0.1; end
sensor(1).name = 'x'; sensor(1).value = [pos(body(1)) pos(body(2)) omega(body(1))];
par.t_final = 0.3;
