sensor(1).name = 'tip';
sensor(1).value = t;
sensor(2).name = 'tip';
sensor(2).value = 2*t;
