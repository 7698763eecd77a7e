body(1).m =
body(2).m = 3;
