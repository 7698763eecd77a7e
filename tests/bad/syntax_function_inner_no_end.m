function y = f(x)
  if x > 0
    y = x;
end

z = f(3);
