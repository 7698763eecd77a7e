rod(1).length = 0.3;
rod(1).radius = -1;
rod(2).length = 0.1;
rod(2).radius = 0.01;
rod(2).model = 'rod';
chamber(1).pressure = 1;
