exload(1).exbody = 1;
exload(1).tr.trans = [inf 0 0];
