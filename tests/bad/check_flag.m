par.mov = 2;
