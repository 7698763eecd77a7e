k = param('k', 2); u = input('k', 1); j = input('F', 0); l = param('F', 3);
