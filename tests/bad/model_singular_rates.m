% a straight rod that bends and does not stretch, held at two places, with a rate of bending
rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;
rod(1).order = [-1 -1 -1 -1 2 -1]; rod(1).rate = [5 -3 8];
joint(1).first = 0; joint(1).second = at(rod(1), 0.15); joint(1).tr.trans = [0 0 0.15];
joint(1).type = 'fixed';
