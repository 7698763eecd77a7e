x = interp1([0 1 2], [0 nan 1], t);
