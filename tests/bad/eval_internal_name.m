body(1).m = 1; joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
a = internal('a b,c', 1);
dynamics(1).of = 'a b,c';
dynamics(1).rate = 1 - a;
