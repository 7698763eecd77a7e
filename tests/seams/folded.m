% A whip of four straight segments, nearly folded and turning on.
rod(1).name = 'whip'; rod(1).length = 0.4; rod(1).radius = 1.2e-3; rod(1).E = 1e6; rod(1).nu = 0.4; rod(1).rho = 1200; rod(1).eta = 200;
rod(1).shape = [0 0 0 0 28 0]; rod(1).rate = [0 0 0 0 300 0];
rod(1).model = 'eba'; rod(1).n = 4;
sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));
par.t_final = 0.1;
