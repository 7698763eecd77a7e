x = interp1([0 2 1], [0 1 2], t);
