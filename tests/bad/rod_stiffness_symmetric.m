rod(1).length = 0.3;
rod(1).radius = 0.01;
rod(1).rho = 1000;
K = eye(6);
K(1,2) = 0.1;
rod(1).stiffness = K;
