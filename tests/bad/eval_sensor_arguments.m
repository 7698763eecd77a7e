x = pos();
y = dof(joint(1));
z = pos(body(1), 1, [0 0 1], 4);
