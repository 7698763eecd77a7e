[a, b] = f(1);
function r = f(n)
  r = n;
end
