x = pos(2);
