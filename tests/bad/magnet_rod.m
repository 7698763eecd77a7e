rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1100;
magnet(1).on = rod(3); magnet(1).moment = [0.5 0 0]; magnet(1).field = [5e-5 0 0];
