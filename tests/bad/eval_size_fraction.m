x = ones(1.5);
