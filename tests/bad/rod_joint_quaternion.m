rod(1).length = 0.3;
rod(1).radius = 0.01;
rod(1).E = 1e5;
rod(1).rho = 1000;
rod(1).joint.type = 'spherical';
rod(1).joint.dof(4).spring.coeff = 1;
