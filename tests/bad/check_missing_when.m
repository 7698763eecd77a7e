event(1).then = 'stop';
