sensor(1).name = 'a';
sensor(1).value = t;
sensor(1).unit = 'm';
