x = f(1);
function r = f(n)
  y = n;
end
