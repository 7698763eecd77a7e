body(1).m = 0.01; joint(1).second = 1; joint(1).tr.rot = [3 inf];
magnet(1).on = body(1); magnet(1).moment = [0.5*s 0 0]; magnet(1).field = [5e-5 0 0];
magnet(2).on = body(1); magnet(2).moment = [0.5 0 0];
