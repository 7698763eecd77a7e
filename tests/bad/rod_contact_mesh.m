body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free';
contact(1).first = mesh(1); contact(1).second = 'plane'; contact(1).stiffness = 1;
