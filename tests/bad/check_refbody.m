exload(1).exbody = 1;
exload(1).refbody = 0.5;
