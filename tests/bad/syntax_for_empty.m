for
  x = 1;
end
