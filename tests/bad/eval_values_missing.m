% values of symbols that a program would give: one message, not one for each symbol
par.n = 2; par = exp(par);
syms k p
par.sym = [k p];
par.var = [2 par.exp.p(1)];
body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [0 0 inf];
joint(1).dof(1).spring.coeff = k; joint(1).dof(1).input = p;
