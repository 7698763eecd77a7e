rod(1).length = 0.3;
