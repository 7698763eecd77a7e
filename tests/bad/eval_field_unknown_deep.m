joint(1).dof(2).sprin.coeff = 40;
body(1).mass = 2;
