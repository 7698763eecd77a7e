body(1).name = 'arm';
joint(1).second = 1;
body(2).m = 0;
joint(2).second = 2;
