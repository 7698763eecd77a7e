function [a, b f(x)
  a = x; b = x;
end
