while x < 3
  x = x + 1;
