body(1).l_com = [0 0.1];
