% main script that calls a definition in its own file
par.n = 4; par.l = 0.2;
par.equil = 1; par.dyn = 0;
[par, world, body, joint, exload] = link_chain(par);
q = equil(par, world, body, joint, exload);
