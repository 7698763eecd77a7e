if a
  x = 1;
function y = f(x)
  y = x;
end
