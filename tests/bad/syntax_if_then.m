if x == 2 then
  y = 1;
end
