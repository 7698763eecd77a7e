/* mass */
x = 3;
