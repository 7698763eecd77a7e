world.g = [0 0 -9.81]; u1 = input('u1', .4); k = param('k', 30);
for j = 1:4, body(j).m = 0.5 + j/7; body(j).I = diag([.01 .02 .025]*j); body(j).l_com = [.03 .02*j -.1]; end
joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; joint(1).tr(1).rot = [2 inf];
joint(1).dof(1).spring.coeff = k; joint(1).dof(1).damp.visc = .7; joint(1).dof(1).damp.pow = 2; joint(1).dof(2).spring.coeff = 80; joint(1).dof(2).spring.init = .2; joint(1).dof(2).spring.compr = .5;
joint(1).dof(3).damp.visc = .3; joint(1).dof(3).damp.pow = .6; joint(1).dof(3).input = u1*sin(3*t) + .1*dof(joint(1),1);
joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [0 0 -.3]; joint(2).type = 'universal';
joint(3).first = 2; joint(3).second = 3; joint(3).tr.trans = [.1 0 -.3]; joint(3).tr.rot = [inf inf inf inf];
joint(4).second = 4; joint(4).tr.trans = [inf inf inf]; joint(4).tr.rot = [0 inf inf inf]; joint(4).dof(1).init = .4; joint(4).dof(3).init = -.7;
joint(5).first = 1; joint(5).second = 4; joint(5).tr.trans = [0 .1 0]; joint(5).tr2nd.trans = [.1 0 .1]; joint(5).spring.coeff = 25*(1 + .2*dof(joint(1),2)^2); joint(5).spring.init = nan; joint(5).spring.compr = .9; joint(5).damp.visc = .5; joint(5).input = u1;
joint(6).first = 2; joint(6).second = 4; joint(6).spring.coeff = 40; joint(6).spring.init = .2; joint(6).damp.visc = .3; joint(6).damp.pow = 1.5; joint(6).dir = 1;
joint(7).first = 0; joint(7).second = 3; joint(7).spring.coeff = 12; joint(7).spring.init = .1; joint(7).damp.visc = .4; joint(7).damp.along = 0;
joint(8).first = 3; joint(8).second = 4; joint(8).tr.rot = [1 .3]; joint(8).spring.coeff = [30 40 50 3 4 5]; joint(8).spring.init = [0 0 nan 0 0 0]; joint(8).damp.visc = [.1 .2 .3 .04 .05 .06]; joint(8).damp.pow = 2; joint(8).input = [u1 0 .2 0 .1 0];
joint(9).first = 1; joint(9).second = 3; joint(9).xaxis = [1 .2 0]; joint(9).spring.coeff = [10 11 12 1 2 3]*(1 + .1*pos(body(4))(3)); joint(9).spring.init = nan*ones(1,6); joint(9).damp.visc = [.1 .1 .1 .01 .01 .01];
exload(1).exbody = 4; exload(1).ftau = [.5 .2 u1 .03 .02 .01]; exload(1).tr.trans = [.1 .2 .3];
exload(2).exbody = 3; exload(2).refbody = 2; exload(2).ftau = [.1*vel(body(4))(1) 0 1 0 .1 0];
sensor(1).name = 'tip'; sensor(1).value = pos(body(4), [.1 0 0]); sensor(2).name = 'w'; sensor(2).value = omega(body(3)); sensor(3).name = 'a'; sensor(3).value = acc(body(2), [0 .1 0]);
sensor(4).name = 'mix'; sensor(4).value = [length(joint(5)) stretch(joint(6))^2 dof(joint(1),3)*ddof(joint(1),3) q(2) v(3) u1*t]; sensor(5).name = 'R'; sensor(5).value = [rot(body(3))(1,:) quat(body(3)) vel(body(4),[0 0 1])];
output = {'tip','w','a','mix','R','energy'};
