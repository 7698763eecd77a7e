syms k
if k > 1
  x = 2;
end
