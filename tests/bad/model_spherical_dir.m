body(1).m = 1;
body(1).I = eye(3);
joint(1).second = 1;
joint(1).type = 'spherical';
joint(1).dof(1).damp.visc = 3;
joint(1).dof(1).dir = 1;
