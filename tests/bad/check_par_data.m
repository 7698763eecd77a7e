par.exp.mass(2) = 3;
par.tfinal = 3;
par.tf = 3;
par.n = 4;
body(1).m = par.exp.mass(2);
joint(1).second = 1;
