länge = 3;
