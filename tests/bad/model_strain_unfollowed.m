% one coordinate cannot hold both coordinates of the tip while time bends the rod
rod(1).length = 0.5; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).eta = 1e3;
rod(1).coords = 1; c = coord(rod(1)); rod(1).strain = [0 0 0 0 c(1) + 0.5*s*sin(20*t) 0]; rod(1).init = 1;
joint(1).first = 0; joint(1).second = rod(1); joint(1).type = 'spherical'; joint(1).tr.trans = [1 - cos(0.5), 0, sin(0.5)];
