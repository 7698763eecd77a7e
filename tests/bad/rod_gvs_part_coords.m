rod(1).radius = .01; rod(1).E = 1e5; rod(1).rho = 1000; rod(1).coords = 1; c = coord(rod(1));
rod(1).part(1).length = .2; rod(1).part(2).length = .1;
rod(1).part(2).coords = 1; rod(1).part(2).strain = [0 0 0 c 0 0];
