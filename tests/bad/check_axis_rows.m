joint(1).second = 1;
joint(1).type = 'universal';
joint(1).axis = [1 0 0];
