rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1000; rod(1).coords = 2; c = coord(rod(1));
rod(1).strain = [0 0 0 0 abs(c(1)) ifelse(s < 0.1, 1, 2)*c(2)];
