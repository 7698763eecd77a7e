% a slide whose motion is given, and given otherwise by a fixed row
body(1).m = 1; body(1).I = 0.01*eye(3);
joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];
joint(1).dof(1).motion = 0.1*sin(3*t);
joint(2).second = 1; joint(2).fixed = [1 0 0];
joint(2).motion = [0.1*sin(2*t) 0 0];
