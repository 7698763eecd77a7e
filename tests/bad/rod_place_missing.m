rod(1).length = 0.3;
rod(1).radius = 0.01;
rod(1).E = 1e5;
rod(1).rho = 1000;
body(1).m = 1;
body(1).I = eye(3);
joint(1).first = at(rod(2), 0.1);
joint(1).second = 1;
