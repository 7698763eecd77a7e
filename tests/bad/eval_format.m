x = sprintf('%y', 1);
y = sprintf(3);
