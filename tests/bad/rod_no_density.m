rod(1).length = 0.3;
rod(1).radius = 0.01;
rod(1).E = 1e5;
