% a load at a point of the quadrature cannot be told from the rod's own weight there
rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e9; rod(1).rho = 1000; rod(1).n = 2;
exload(1).exbody = at(rod(1), 0.15); exload(1).ftau = [0 0 -10 0 0 0];
sensor(1).name = 'w';
sensor(1).value = wrench(rod(1), 0.149);
sensor(2).name = 'base';
sensor(2).value = wrench(rod(1), 0);
