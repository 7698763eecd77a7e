rod(1).length = 0.1;
rod(1).radius = 0.005;
rod(1).rho = 1000;
rod(1).E = 1e6;
rod(1).elements = 3;
rod(1).points = [0.5; 1];
rod(1).basis = 'gaussian';
