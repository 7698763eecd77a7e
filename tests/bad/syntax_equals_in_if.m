x = 1;
if x = 3
  y = 2;
end
