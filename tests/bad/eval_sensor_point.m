x = pos(body(1), [0 1]);
