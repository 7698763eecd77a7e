for 3 = 1:3
  x = 1;
end
