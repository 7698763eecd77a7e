body(1).m = 1;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).type = 'cylindrical';
joint(1).motion = [t 0];
joint(1).dof(2).motion = 3*t;
