x = param('E');
