for i = 1:10
  x(i) = undefined_thing + i;
end
y = x(3);
