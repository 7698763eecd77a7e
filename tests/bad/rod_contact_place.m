rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 1000;
contact(1).first = at(rod(1), 0.2); contact(1).second = 'plane'; contact(1).stiffness = 1;
