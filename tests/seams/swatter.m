% A plane that comes and goes within 0.03 s strikes a ball at rest, which nothing else tells of it.
body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [0 0 inf];
contact(1).first = body(1); contact(1).ball = 0.05; contact(1).second = 'plane';
contact(1).point = [0 0 -0.3 + 0.26*exp(-((t - 0.537)/0.012)^2)]; contact(1).normal = [0 0 1];
contact(1).stiffness = 2e4;
sensor(1).name = 'z'; sensor(1).value = pos(body(1))(3);
sensor(2).name = 'v'; sensor(2).value = vel(body(1))(3);
par.t_final = 1; par.rtol = 1e-8; par.atol = 1e-10;
