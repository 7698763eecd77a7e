for i = 1:3
  x = i;
else
  x = 0;
end
