x = f(1, 2);
function r = f(n)
  r = n;
end
