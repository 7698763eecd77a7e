world.g = 'down';
