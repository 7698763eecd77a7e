par.derive = 0;
if par.derive
  syms m k
  par.sym = [m k];
end
par.var = [2 50];
body(1).m = m; body(1).I = 1;
joint(1).second = 1; joint(1).tr.trans = [inf 0 0]; joint(1).dof.spring.coeff = k + stiffness;
