% Rods that share coordinates, a field in a part, a wave of time alone, loads and sensors at s; the tip of one touches a plane.
world.g = [1 0 -9.81];
for k = 1:4, rod(k).tr.trans = [0.1*k 0 0]; rod(k).length = 0.2; rod(k).radius = 0.01; rod(k).E = 1e5; rod(k).rho = 1000; rod(k).eta = 100; end
for k = 1:3, rod(k).points = 4; end
rod(1).coords = 2; c = coord(rod(1)); rod(1).init = [3 2];
rod(1).strain = [0 0 0 c(1) c(2)*s 0]; rod(2).strain = [0 0 0 c(2) c(1)*s c(1)];
rod(3).strain = [0 0 0 5*sin(20*s - 10*t) 0 0];
rod(4).part(1).length = 0.1; rod(4).part(2).length = 0.1; rod(4).part(2).order = [-1 -1 -1 1 0 -1]; rod(4).part(1).points = 3; rod(4).part(2).points = 3;
rod(4).coords = 1; d = coord(rod(4)); rod(4).part(1).strain = [0 0 0 d 2*d*s 0];
rod(1).load = [-8*here(1) - 0.4*vel(rod(1), s)(1) 0 0 0 0 0];
exload(1).exbody = at(rod(4), 0.1); exload(1).ftau = [0.1*sin(9*t) 0 0 0 0 0];
contact(1).first = rod(3); contact(1).second = 'plane'; contact(1).normal = [0 -1 0]; contact(1).point = [0 0.02 0]; contact(1).stiffness = 1e4;
contact(2).first = rod(1); contact(2).second = 'plane'; contact(2).normal = [0 1 0]; contact(2).point = [0 -0.0685 0]; contact(2).stiffness = 1e4;
sensor(1).name = 'p'; sensor(1).value = [pos(rod(1)) pos(rod(2)) vel(rod(4))];
sensor(2).name = 'w'; sensor(2).value = [wrench(rod(1), 0.05) wrench(rod(4), 0.12)];
par.t_final = 0.02;
