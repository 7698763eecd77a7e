event(1).when = 'impact';
