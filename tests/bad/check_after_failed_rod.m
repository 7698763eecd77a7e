rod(1).length = missing;
chamber(1).rod = 1;
chamber(1).area = -1;
