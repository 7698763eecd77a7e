I1 = 2;
body(1).I = I1.eye(3);
