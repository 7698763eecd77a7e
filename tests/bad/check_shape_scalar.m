par.t_final = [1 2];
