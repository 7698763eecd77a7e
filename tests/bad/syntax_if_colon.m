if x == 2:
  y = 1;
end
