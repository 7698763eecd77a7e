x = zeros(1, t);
