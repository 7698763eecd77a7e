x = f(1);
y = x + 1;
function r = f(n)
  r = n + missing;
end
