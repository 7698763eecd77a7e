% An elliptical section that turns and tapers along the rod.
world.g = [1 2 -9.81];
rod(1).model = 'srl'; rod(1).n = 2; rod(1).length = 0.2; rod(1).section = 'ellipse'; rod(1).width = 0.02 - 0.03*s; rod(1).height = 0.012;
rod(1).E = 1e5; rod(1).rho = 1000; rod(1).eta = 300; rod(1).shape = [0 0 0 1 0 2];
sensor(1).name = 'tip'; sensor(1).value = [pos(rod(1)) energy()];
par.t_final = 0.02;
