function y = f()
  persistent n
  y = n;
end
