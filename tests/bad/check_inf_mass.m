body(1).m = inf;
