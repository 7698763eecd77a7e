event(1).when = t - 1;
event(1).name = 'a';
event(2).when = t - 2;
event(2).name = 'a';
