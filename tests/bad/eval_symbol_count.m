syms a b
par.sym = [a b];
par.var = [1 2 3];
