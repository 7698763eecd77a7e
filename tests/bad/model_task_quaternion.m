F = input('F', 0); body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'spherical'; exload(1).exbody = 1; exload(1).ftau = [F 0 0 0 0 0];
task(1).value = q(1); task(1).desired = 1;
