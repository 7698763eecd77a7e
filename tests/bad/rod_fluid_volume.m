body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free';
fluid.rho = 1000; body(1).fluid.volume = -1;
