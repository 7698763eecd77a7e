while (x = 3)
  x++;
end
