joint(1).second = 1;
joint(1).name = 'hip';
joint(2).second = 2;
joint(2).name = 'hip';
