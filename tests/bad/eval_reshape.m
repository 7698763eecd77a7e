x = reshape(1:5, 2, 3);
