par.equil = 4;
