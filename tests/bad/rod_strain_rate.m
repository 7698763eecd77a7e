rod(1).length = 1; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).coords = 1; c = coord(rod(1)); d = dcoord(rod(1));
rod(1).strain = [0 0 0 c(1)+d(1) 0 0];
