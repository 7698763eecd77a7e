exload(1).ftau = [0 0 1];
