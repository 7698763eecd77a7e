rod(1).length = 0.3; rod(1).modes = [0 0 0 1 1 1];
sensor(1).value = pos(rod(1), 0.3);
output = {'tip', 'energy'};
