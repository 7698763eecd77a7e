body(1).m.x = 2;
