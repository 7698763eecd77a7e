x = interp1([0 1], [0 1], t, 'linaer');
