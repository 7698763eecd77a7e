chamber(1).pressure = 1e4;
