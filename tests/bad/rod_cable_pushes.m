rod(1).length = 1; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;
cable(1).rod = 1; cable(1).path = [0.005 0];
cable(1).tension = -5;
