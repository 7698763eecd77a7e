par.solver = 'implicit';
