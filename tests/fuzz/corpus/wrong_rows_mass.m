body(1).m = [1; 2];
body(1).I = eye(3);
joint(1).second = [1 1:3];
joint(1).tr(1).trans = [0 0 inf];
