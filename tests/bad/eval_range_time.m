for k = 1:t
  x = k;
end
