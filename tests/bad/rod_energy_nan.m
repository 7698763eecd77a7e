rod(1).length = 0.1;
rod(1).radius = 0.005;
rod(1).rho = 1000;
rod(1).energy = log(-1 - strain(3)) + strain(4)^2;
