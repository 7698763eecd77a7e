length = 0.2; lambda = 1; v = [1 2]; s = 3;
x = length + lambda + v(2);
for mean = 1:3, y = mean; end
pi = 3;
z = f(2);
function v = f(q)
  v = 2*q;
end
