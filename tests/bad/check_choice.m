par.equil = 3;
