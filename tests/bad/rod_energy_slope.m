rod(1).length = 0.1;
rod(1).radius = 0.005;
rod(1).rho = 1000;
rod(1).energy = sqrt(strain(3)-1) + strain(4)^2+ strain(5)^2+ strain(6)^2;
