body(1).I = diag([1 1 -0.1]);
