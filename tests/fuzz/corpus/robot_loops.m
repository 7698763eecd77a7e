world.g = [0 0 -9.81]; u1 = input('u1', 0);
for j = 1:6, body(j).m = 0.5 + j/7; body(j).I = diag([.01 .02 .025]*j); body(j).l_com = [.1 .01*j -.1]; end
joint(1).second = 1; joint(1).type = 'universal'; joint(1).dof(1).init = .2; joint(1).dof(1).spring.coeff = 3;
joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.5 0 0]; joint(2).type = 'free';
joint(3).first = 0; joint(3).second = 3; joint(3).tr.trans = [1 0 0]; joint(3).type = 'spherical';
joint(4).first = 3; joint(4).second = 4; joint(4).tr.trans = [0 0 .5]; joint(4).type = 'free';
joint(5).second = 5; joint(5).type = 'free'; joint(5).dof(2).init = .7;
joint(6).second = 6; joint(6).type = 'free'; joint(6).dof(2).init = -.7;
joint(7).first = 2; joint(7).second = 4; joint(7).type = 'revolute'; joint(7).axis = [0 1 .3]; joint(7).tr.trans = [.5 0 .5]; 
joint(8).first = 4; joint(8).second = 5; joint(8).type = 'universal'; joint(8).axis = [1 0 0; 0 1 0]; joint(8).tr.trans = [-1 .7 -.5];
joint(9).first = 5; joint(9).second = 6; joint(9).fixed = [1 0 1 0 0 1]; joint(9).refbody = 1; joint(9).control = [0 0 u1*sin(t) 0 0 0];
joint(10).first = 1; joint(10).second = 6; joint(10).fixed = [0 1 0]; joint(10).spring.coeff = [0 9 0 0 0 0]; joint(10).damp.visc = [0 6 0 0 0 0];
joint(11).first = 2; joint(11).second = 1; joint(11).type = 'cylindrical'; joint(11).axis = [1 1 0];
