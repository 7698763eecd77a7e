rod(1).length = 0.1;
rod(1).radius = 0.005;
rod(1).rho = 1000;
rod(1).E = 1e6;
rod(1).basis = 'monomial';
rod(1).order = 14;
