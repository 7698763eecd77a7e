rod(1).length = 1; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).n = 1;
rod(1).points = [0.1127 0.5 0.8873; 0.2777 0.4444 0.2777];
