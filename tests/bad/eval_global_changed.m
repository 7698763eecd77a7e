a = 2;
b = add(1);
function y = add(x)
  global a
  a = a + x;
  y = a;
end
