x = strain(rod(1));
y = pos(rod(1));
z = stretch(rod(1), 0.1);
w = strain(joint(1), 0.1);
a = at(rod(1), 'tip');
b = at(rod(1), sin(t));
c = vel(rod(1), 0.1, [0 0 1]);
d = dof(rod(1), 1);
