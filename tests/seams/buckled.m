% A straight rod that cannot stretch, pushed together at its base: it leaves by buckling.
body(1).m = 0.1; body(1).I = 1e-4*eye(3); joint(1).second = 1;
joint(1).tr.trans = [0 0 inf]; joint(1).dof.motion = 0.03*t;
rod(1).first = 1; rod(1).length = 0.35; rod(1).radius = 0.8e-3; rod(1).E = 200e9;
rod(1).rho = 7800; rod(1).order = [-1 -1 -1 -1 2 -1]; rod(1).points = 12;
joint(2).second = rod(1); joint(2).tr.trans = [0 0 0.35]; joint(2).type = 'fixed';
sensor(1).name = 'w'; sensor(1).value = pos(rod(1), 0.175);
par.t_final = 0.5;
