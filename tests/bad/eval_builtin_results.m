[a, b] = sin(1);
