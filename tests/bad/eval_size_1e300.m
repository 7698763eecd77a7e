body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
x = zeros(1e300);
