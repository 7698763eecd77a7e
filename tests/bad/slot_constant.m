body(1).m = 1; joint(1).second = 1;
joint(1).curve = [1 2 3];
