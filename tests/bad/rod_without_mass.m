rod(1).length = 0.1;
rod(1).radius = 0.005;
rod(1).rho = 0;
rod(1).E = 1e6;
