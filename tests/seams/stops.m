% What acts on one side only: a stop, a link with dir, a rope, max and ifelse, each with a mass of its own.
k = param('k', 4e3);
for i = 1:5
  body(i).m = 0.2; joint(i).second = i; joint(i).tr.trans = [inf 0 0]; joint(i).dof(1).init = -0.2 - 0.01*i;
  joint(i).dof(1).rate = 1 + 0.1*i;
end
joint(1).dof(1).spring.coeff = k; joint(1).dof(1).dir = 1;
joint(6).second = 2; joint(6).tr.trans = [-1 0 0]; joint(6).spring.coeff = k; joint(6).spring.init = 1; joint(6).dir = 1;
cable(1).via = {0, 3}; cable(1).points = [-1 0 0; 0 0 0]; cable(1).stiffness = k; cable(1).pull = -0.23;
exload(1).exbody = 4; exload(1).ftau = [-k*max(0, pos(body(4))(1)) 0 0];
exload(2).exbody = 5; exload(2).ftau = [ifelse(pos(body(5))(1) > 0, -k*pos(body(5))(1), 0) 0 0];
for i = 1:5, sensor(i).name = sprintf('x%d', i); sensor(i).value = dof(joint(i), 1); end
par.t_final = 0.6;
