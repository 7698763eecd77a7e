rod(2).length = 0.3;
rod(2).radius = 0.01;
rod(2).E = 1e5;
rod(2).rho = 1000;
