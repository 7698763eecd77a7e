body(1).I = diag([1 1 3]);
