function y = f(x, k = 3)
  y = k*x;
end
