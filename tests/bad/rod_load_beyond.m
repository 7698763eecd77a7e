rod(1).length = 0.3;
rod(1).radius = 0.01;
rod(1).E = 1e5;
rod(1).rho = 1000;
exload(1).exbody = at(rod(1), 0.31);
exload(1).ftau = [0 0 1];
