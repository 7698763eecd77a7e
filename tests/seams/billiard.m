% Three balls and a wall on one line: five collisions in the run, which hand the speed on.
for k = 1:3
  body(k).m = 0.2; joint(k).second = k; joint(k).tr.trans = [inf 0 0]; joint(k).dof(1).init = 0.3*k - 1;
end
joint(1).dof(1).rate = 3;
for k = 1:2
  contact(k).first = body(k); contact(k).second = body(k + 1); contact(k).ball = 0.05; contact(k).ball2 = 0.05;
  contact(k).stiffness = 1e4;
end
contact(3).first = body(3); contact(3).second = 'plane'; contact(3).normal = [-1 0 0]; contact(3).point = [0.1 0 0];
contact(3).ball = 0.05; contact(3).stiffness = 1e4;
sensor(1).name = 'x'; sensor(1).value = [dof(joint(1), 1) dof(joint(2), 1) dof(joint(3), 1)];
par.t_final = 0.6;
