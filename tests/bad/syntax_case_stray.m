case 1
  y = 2;
