% the tip of a rod at its own base: its polynomials end at half a turn
body(1).m = 1; body(1).I = 0.01*eye(3); joint(1).second = 1; joint(1).tr.rot = [2 inf];
rod(1).first = body(1); rod(1).length = 0.22; rod(1).radius = 0.009; rod(1).E = 1e6;
rod(1).rho = 1000; rod(1).model = 'rom'; rod(1).n = 5;
joint(2).first = rod(1); joint(2).second = 1; joint(2).type = 'spherical';
