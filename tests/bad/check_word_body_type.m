body(1).type = 'soft';
