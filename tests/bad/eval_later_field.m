body(1).fluid.rho = 1000;
