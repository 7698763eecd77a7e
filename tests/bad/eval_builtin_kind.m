x = sin('a');
y = sum({1});
