if t > 1
  x = 2;
end
