body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
par.solver = 'fixed'; par.step = 1e-300;
