rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;
r = rod(1);
cable.rod = r;
cable.tension = 1;
