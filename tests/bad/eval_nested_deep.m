r.x = 1;
for k = 1:200
  r.x = r;
end
