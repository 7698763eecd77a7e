% a hinge whose body is to accelerate along its circle and towards its axis
body(1).m = 1; body(1).I = 1e-2*eye(3);
joint(1).second = 1; joint(1).tr.rot = [3 inf];
joint(2).second = 1; joint(2).tr2nd.trans = [0.3 0 0]; joint(2).refbody = 0;
joint(2).fixed = [1 1 0];
joint(2).control = [0.5 0.5 0 0 0 0];
