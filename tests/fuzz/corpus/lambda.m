f = @(x, y) x.^2 + y';
g = {@(x) x +1, @sin};
