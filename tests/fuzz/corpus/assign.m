body(1).m = 2e-3;
body(1).I = diag([1 2 3]);
