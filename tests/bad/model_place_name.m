body(1).name = 'arm'; body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
body(2).m = 1; body(2).I = eye(3); joint(2).first = 'amr'; joint(2).second = 2; joint(2).tr.trans = [inf 0 0];
