function [a, b] = f(x, ~)
  a = x; b = a;
  return
end
