body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free';
body(1).fluid.volume = 1e-3;
