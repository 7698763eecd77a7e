body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];
sensor(1).name = 'tip'; sensor(1).value = pos(body(1));
a = internal('tip_x', 1); dynamics(1).of = 'tip_x'; dynamics(1).rate = 1;
