if x then y and z
body(1).l com = 3;
2nd = 5x;
