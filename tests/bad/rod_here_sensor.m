rod(1).length = .3; rod(1).radius = .01; rod(1).E = 1e5; rod(1).rho = 1000;
sensor(1).name = 'p'; sensor(1).value = pos(rod(1), s);
