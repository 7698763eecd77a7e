exload(1).exbody = 1;
exload(1).force = [1 0 0];
