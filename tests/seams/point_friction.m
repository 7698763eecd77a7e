% Stiffness and friction counted per point of a rod that slides along a plane.
world.g = [0 0 -9.81]; mu = param('mu', 0.4);
body(1).m = 0.05; body(1).I = 1e-4*eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 inf]; joint(1).tr(2).rot = [2 inf];
joint(1).dof(1).rate = 1; joint(1).dof(2).init = 0.0055;
rod(1).first = 1; rod(1).tr.rot = [2 pi/2]; rod(1).length = 0.2; rod(1).radius = 0.005; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).eta = 1e3;
rod(1).model = 'ebr'; rod(1).n = 3; rod(1).modes = [0 0 0 0 1 0];
contact(1).first = rod(1); contact(1).second = 'plane'; contact(1).per = 'point'; contact(1).stiffness = 500; contact(1).damping = 0.1; contact(1).friction = mu; contact(1).slip = 0.1;
sensor(1).name = 'x'; sensor(1).value = [pos(rod(1)) vel(rod(1))];
par.t_final = 0.05;
