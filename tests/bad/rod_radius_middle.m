rod(1).length = 0.3;
rod(1).radius = (s - 0.15)^2;
rod(1).E = 1e5;
rod(1).rho = 1000;
