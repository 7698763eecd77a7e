par.t_init = 5;
par.t_final = 2;
