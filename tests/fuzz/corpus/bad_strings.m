x = 'abc
y = "a\q
z = [a ']
