par.n = 2;
[q, lam] = equil(par);
x = 2*q;
body(1).m = x(1);
if lam, joint(1).second = 1; end
plot(q, lam);
