body(1).name = 7;
