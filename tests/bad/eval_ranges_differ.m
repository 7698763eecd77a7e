body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
E = param('E', 1, [0 2]);
F = param('E', 1, [0 3]);
u = input('u', 1, [0 2]);
w = input('u', 1, [0 3]);
G = param('G', 5);
H = param('G', 1, [0 2]);
k = param('k', 1, [2 0]);
