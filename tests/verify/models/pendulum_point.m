% Point mass on a massless bar, released from the horizontal (IFToMM A01).
world.g = [0 -9.81 0];
body(1).m = 1;
body(1).I = zeros(3);
body(1).l_com = [1 0 0];
joint(1).second = 1;
joint(1).tr(1).rot = [3 inf];
joint(1).dof(1).init = pi;
sensor(1).name = 'mass';
sensor(1).value = pos(body(1), [1 0 0]);
