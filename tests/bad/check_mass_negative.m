body(1).m = -2;
