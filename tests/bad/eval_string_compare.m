w = 'abc' == 3;
