body(1).m = 1 + t;
