x = sinn(1);
