body(2).l com = [0 0 1];
