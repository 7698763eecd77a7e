for i in 1:3
  x = i;
end
