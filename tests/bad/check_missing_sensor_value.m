sensor(1).name = 'tip';
