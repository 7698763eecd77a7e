m = rho V;
