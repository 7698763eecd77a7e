% edges that are rods do not touch with the nodes of their mesh: a note names the contact that they need
mesh.node = [0 0 0; 0.2 0 0]; mesh.edge = [1 2]; mesh.fixed = 1;
mesh.body(1).m = 0.01; mesh.body(1).I = 1e-6*eye(3); mesh.body(2).m = 0.5; mesh.body(2).I = 1e-6*eye(3);
mesh.joint(1).tr.trans = [inf inf inf]; mesh.joint(1).tr.rot = [0 inf inf inf];
mesh.joint(2).rom.order = 2; mesh.joint(2).spring.coeff = [1000 1000 3000 1 1 1];
contact(1).first = mesh(1); contact(1).second = 'plane'; contact(1).point = [0 0 -0.1]; contact(1).stiffness = 1000;
