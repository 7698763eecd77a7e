syms a
par.sym = [2*a];
par.var = [1];
