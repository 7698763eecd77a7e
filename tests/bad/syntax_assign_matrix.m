[a, b+1] = size(x);
