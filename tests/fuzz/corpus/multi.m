[~, i] = max(x);
[a b.c] = size(y);
