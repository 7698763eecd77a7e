rod(1).length = 0.3;
rod(1).E = 1e5;
rod(1).rho = 1000;
rod(1).section = 'custom';
rod(1).area = 1e-4;
rod(1).Ix = 1e-9;
rod(1).Iy = 1e-9;
