x = param('2E', 1);
