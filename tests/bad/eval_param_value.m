x = param('E', [1 2]);
