body(1).m = param('m', inf);
joint(1).second = 1;
joint(1).tr.trans = [inf 0 0];
