par.t_final = 2;
joint(1).tr.trans = [inf 0 0];
