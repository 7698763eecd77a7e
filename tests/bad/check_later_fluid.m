fluid.rho = 1000;
