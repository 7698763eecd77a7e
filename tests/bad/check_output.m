sensor(1).name = 'tip';
sensor(1).value = t;
output = {'tip', 'enrgy'};
