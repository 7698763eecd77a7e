exload(1).exbody = 1;
exload(1).ftau = [1 0];
