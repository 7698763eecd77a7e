rod(1).length = 1; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).coords = 1;
rod(1).strain = [0 0 0 0 coord(rod(1)) 0];
rod(2).length = 1; rod(2).radius = 0.01; rod(2).E = 1e6; rod(2).rho = 1000; rod(2).coords = 1;
rod(2).strain = [0 0 0 0 coord(rod(2)) coord(rod(1))*s];
