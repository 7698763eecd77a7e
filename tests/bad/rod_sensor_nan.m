rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e9; rod(1).rho = 1000;
sensor(1).name = 'p';
sensor(1).value = pos(rod(1), nan);
sensor(2).name = 'q';
sensor(2).value = strain(rod(1), inf);
