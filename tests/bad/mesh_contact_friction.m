mesh(1).grid = [2 2]; mesh(1).size = [.2 .2]; mesh(1).body.m = .1; mesh(1).joint(2).spring.coeff = 10;
mesh(2).grid = [2 2]; mesh(2).size = [.2 .2]; mesh(2).body.m = .1; mesh(2).joint(2).spring.coeff = 10;
mesh(2).tr.trans = [0 0 .1];
contact(1).first = mesh(1); contact(1).second = mesh(2); contact(1).ball = .02; contact(1).ball2 = .02;
contact(1).stiffness = 100; contact(1).friction = .3;
