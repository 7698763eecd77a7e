b = add(1);
function y = add(x)
  global later
  y = later + x;
end
