x = param('E', t);
