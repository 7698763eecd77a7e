function y = f(x)
  y = x;

function y = g(x)
  y = 2*x;
end
