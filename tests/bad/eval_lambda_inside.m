f = @(x) x + missing;
y = f(2);
