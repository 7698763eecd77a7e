body(250000).name = 'a';
