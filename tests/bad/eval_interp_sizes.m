x = interp1([0 1 2], [0 1], t);
