x = f(1);
function r = f(n)
  r = f(n + 1);
end
