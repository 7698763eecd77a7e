body(1).m = 1;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];
exload(1).exbody = 1;
exload(1).refbody = [1 2];
exload(1).ftau = [0 0 1];
