rod(1).length = .3; rod(1).radius = .01; rod(1).E = 1e5; rod(1).rho = 1000;
rod(1).load = [pos(rod(1), s/2) 0 0 0];
