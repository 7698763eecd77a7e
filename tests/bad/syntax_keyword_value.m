x = 3 + for;
