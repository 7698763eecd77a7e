event(1).when = t - 1;
event(1).then = 'halt';
