body(1).name = 'arm';
body(2).name = 'arm';
