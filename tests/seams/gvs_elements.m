% n > 10: elements of order 4.
world.g = [0 0 -9.81];
rod(1).tr.rot = [2 pi/2]; rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).eta = 3e3;
rod(1).modes = [0 0 0 0 1 0]; rod(1).n = 12;
sensor(1).name = 'tip'; sensor(1).value = [pos(rod(1)) strain(rod(1), 0.1)];
par.t_final = 0.004;
