body = 3;
