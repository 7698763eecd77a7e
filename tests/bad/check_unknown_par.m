par.tfinal = 3;
