% set E 50
body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
E = param('E', 5, [1 10]);
