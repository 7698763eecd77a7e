body(1).m = 1;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];
joint(2).first = [0 zeros(1, 1000)];
joint(2).second = 1;
joint(2).fixed = [1 1 1];
