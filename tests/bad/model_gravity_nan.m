world.g = [0 0 param('g', nan)];
body(1).m = 1;
joint(1).second = 1;
joint(1).tr.trans = [inf 0 0];
