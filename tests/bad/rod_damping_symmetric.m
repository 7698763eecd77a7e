rod(1).length = 0.3;
rod(1).radius = 0.01;
rod(1).E = 1e5;
rod(1).rho = 1000;
D = eye(6);
D(3,4) = 0.1;
rod(1).damping = D;
