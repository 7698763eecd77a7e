try
  x = [1 2]*[3 4];
catch err
  x = 2;
end
body(1).m = x;
