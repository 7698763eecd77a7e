body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
p = param('air', 2); m = internal('air', 1); dynamics(1).of = 'air'; dynamics(1).rate = -m*p;
