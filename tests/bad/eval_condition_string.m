c = {1};
if c
  x = 2;
end
