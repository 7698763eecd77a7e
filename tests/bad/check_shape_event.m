event(1).when = [t t];
