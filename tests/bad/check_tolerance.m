par.rtol = -1e-6;
