output = 'tip';
