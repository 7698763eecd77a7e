rod(1).length = 0.2; rod(1).radius = 0.01; rod(1).E = 5e5; rod(1).rho = 1100; rod(1).n = 3;
rod(1).model = 'srl';
rod(1).modes = [0 0 0 1 0 0];
rod(1).shape = [0 0 0 0 2*s 0];
rod(1).init = [0 0 0 1 2*s 0];
rod(1).rate = [0 0 0 1 0 4];
