try
  x = 1;
catch err
  x = 2;
end
y = 3;
