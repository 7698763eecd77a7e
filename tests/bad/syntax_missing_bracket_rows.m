A = [1 2
     3 4
body(1).m = 2;
body(2).m = 3;
