rod(1).length = 0.3;
rod(1).radius = 0.01 - 0.02*s;
rod(1).E = 1e5;
rod(1).rho = 1000;
chamber(1).area = 2e-5;
chamber(1).pressure = 1e4;
chamber(1).offset = [0.006 0];
