function = f(x)
  y = x;
end
