if = 3;
