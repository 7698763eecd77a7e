x = strain(rod(1), 0.1);
y = pos(rod(1), 0.1);
