rod(1).length = 1; rod(1).stiffness = [1 1 1 1 1 1]; rod(1).inertia = [1 1 1 1 1 1];
contact(1).first = rod(1); contact(1).second = 'plane'; contact(1).point = [0 0 -1]; contact(1).stiffness = 1;
