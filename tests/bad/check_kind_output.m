output = 3;
