par.dt_out = 0;
