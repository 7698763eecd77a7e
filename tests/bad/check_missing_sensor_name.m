sensor(1).value = t;
