rod(1).length = 1; rod(1).E = 1e6; rod(1).rho = 1000;
rod(1).radius = 25;
