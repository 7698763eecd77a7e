x = zeros(1e6, 1e6);
