x = 1:3;
for k = 0:2
  y(k) = x(k);
  body(k).m = x(k);
end
