event(1).when = 3;
