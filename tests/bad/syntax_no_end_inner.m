for i = 1:3
  if i > 1
    body(i).m = 2;
end
joint(1).second = 1;
