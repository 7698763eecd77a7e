x = pos(at(body(1), 2), 3);
y = vel(at(body(1), 2), 3, [0 0 1]);
z = dof(at(joint(1), 2), 1, 3);
w = at(at(body(1), 2), 3);
v = pos(at(mesh(1), 2), 3);
ok = pos(at(body(1), 2), [0 0 1]);
