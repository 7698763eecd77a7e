rod(1).length = 1; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).model = 'pcs';
rod(1).order = 2; rod(1).points = 3; rod(1).strain = [0 0 0 s 0 0];
