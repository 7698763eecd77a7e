% An arc of one coordinate, clamped at both ends, cannot have what is written over time.
rod(1).length = 0.4; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;
rod(1).coords = 1; rod(1).init = 1; c = coord(rod(1));
rod(1).strain = [0 0 0 c(1) + s*sin(20*t) 0 0];
joint(1).second = rod(1); joint(1).type = 'fixed';
joint(1).tr.trans = [0 cos(0.4)-1 sin(0.4)]; joint(1).tr.rot = [1 0.4];
