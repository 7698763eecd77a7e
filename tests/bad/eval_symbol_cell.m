syms a
par.sym = {'a', 'b'};
par.var = [2 5];
body(1).m = 1;
