rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 1000;
cable(1).pull = input('u', 0.01);
