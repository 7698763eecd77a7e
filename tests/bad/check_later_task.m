task(1).value = 0;
