x = pos(joint(1));
y = dof(body(1), 1);
