if x == 2 and y == 3
  y = 1;
end
