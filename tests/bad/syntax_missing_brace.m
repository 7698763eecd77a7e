output = {'tip', 'energy';
x = 3;
