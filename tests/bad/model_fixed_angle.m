% the ends of joint(3) touch, but the second body is turned by 0.3 rad
body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free';
body(2).m = 1; body(2).I = eye(3); joint(2).second = 2; joint(2).tr.rot = [0.3 0 0 1]; joint(2).type = 'free';
joint(3).first = 1; joint(3).second = 2;
joint(3).fixed = [1 1 1 1 1 1];
