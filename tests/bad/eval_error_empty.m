error('');
