s.x = 1;
for k = 1:200
  s.x = s;
end
