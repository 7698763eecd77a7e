chamber(1).area = 2e-5;
chamber(1).pressure = 1e4;
