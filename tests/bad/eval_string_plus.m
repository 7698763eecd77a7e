w = 'abc' + 1;
