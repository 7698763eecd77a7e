exload(1).exbody = [1 0.3];
