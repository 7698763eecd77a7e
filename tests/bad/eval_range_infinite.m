x = inf:3;
