body(1).m = 1;
body(1).I = eye(3);
joint(1).first = [1 0:3999];
joint(1).second = [1 1:4000];
joint(1).tr.rot = [2 inf];
