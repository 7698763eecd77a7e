x = inv([1 2 3]);
y = inv([t 1; 1 t]);
