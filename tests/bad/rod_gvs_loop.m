rod(1).length = .3; rod(1).radius = .01; rod(1).E = 1e5; rod(1).rho = 1000; rod(1).model = 'gvs';
rod(1).order = [-1 -1 -1 2 2 -1];
joint(1).first = rod(1); joint(1).second = 0; joint(1).type = 'spherical'; joint(1).tr2nd.trans = [0 0 0.5];
