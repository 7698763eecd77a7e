body(1).m = 1;
joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
sensor(1).name = 'bend'; sensor(1).value = strain(body(1), 0.1);
sensor(2).name = 'place'; sensor(2).value = pos(body(1), 0.5);
par.t_final = 1;
