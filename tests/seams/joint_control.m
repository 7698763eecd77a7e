% A point of a chain follows an acceleration of time: its rows have states of their own.
world.g = [0 0 -9.81];
for k = 1:3
  body(k).m = 0.5; body(k).I = 0.002*eye(3); body(k).l_com = [0.1 0 0];
  joint(k).first = k - 1; joint(k).second = k; joint(k).tr(1).trans = [0.2*(k > 1) 0 0]; joint(k).tr(2).rot = [2 inf]; joint(k).dof(1).init = 0.4*k;
end
joint(4).first = 0; joint(4).second = 3; joint(4).tr2nd.trans = [0.2 0 0]; joint(4).refbody = 0;
joint(4).fixed = [1 0 0 0 0 0]; joint(4).control = [2*cos(9*t) 0 0 0 0 0];
sensor(1).name = 'a'; sensor(1).value = [dof(joint(1), 1) dof(joint(2), 1) dof(joint(3), 1) pos(body(3), [0.2 0 0])];
par.t_final = 0.2;
