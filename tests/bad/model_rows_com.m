body(1).m = 1;
body(1).l_com = [1 2 3; 4 5 6];
joint(1).second = 1;
joint(1).tr(1).trans = [0 0 inf];
