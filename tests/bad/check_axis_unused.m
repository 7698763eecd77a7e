joint(1).second = 1;
joint(1).type = 'spherical';
joint(1).axis = [0 0 1];
