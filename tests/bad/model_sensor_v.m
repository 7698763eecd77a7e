body(1).m = 1;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];
sensor(1).name = 'w';
sensor(1).value = v(2);
