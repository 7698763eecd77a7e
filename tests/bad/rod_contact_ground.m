rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 1000;
contact(1).first = rod(1); contact(1).second = 0; contact(1).stiffness = 1;
