x = disp(1);
