cable(1).tension = 2;
