body(1).m = 1; body(1).I = 0.02*eye(3); joint(1).second = 1; joint(1).type = 'spherical';
for i = 1:3, joint(1).dof(i).spring.coeff = 0.5; joint(1).dof(i).init = 0.1*i; end
body(2).m = 1; body(2).I = 0.02*eye(3); joint(2).second = 2; joint(2).type = 'free';
joint(2).dof(4).init = 0.8; joint(2).dof(5).init = 0.6;
