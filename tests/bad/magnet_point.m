% nodes of a mesh that do not turn take no torque
mesh(1).grid = [3 3]; mesh(1).fixed = 'corners'; mesh(1).body.m = 0.1;
mesh(1).joint(2).spring.coeff = 10;
magnet(1).on = at(mesh(1), 5); magnet(1).moment = [0 0 1]; magnet(1).field = [1 0 0];
exload(1).exbody = at(mesh(1), 5); exload(1).ftau = [0 0 1 0 0 2];
exload(2).exbody = at(mesh(1), 5); exload(2).ftau = [0 0 1 0 0 0];
