body(1).name = 'tip';
x = pos('tpi');
