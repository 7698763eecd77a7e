for i = 1:3
  body(i).m = 0.5; body(i).I = 0.01*eye(3);
end
joint(1).second = 1; joint(1).tr(1).rot = [2 inf];
joint(1).dof(1).init = 0.2;
joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 0.4]; joint(2).tr(2).rot = [2 pi/2];
joint(2).tr(3).rot = [2 inf];
joint(2).dof(1).init = -0.6;
joint(3).second = 3; joint(3).tr(1).trans = [0.8 0 0]; joint(3).tr(2).rot = [2 inf];
joint(3).dof(1).init = 0.2;
joint(4).first = 2; joint(4).second = 3;
joint(4).tr(1).trans = [0 0 0.8];
joint(4).tr2nd(1).trans = [0 0 0.4];
joint(4).type = 'revolute';
joint(4).axis = [0 1 0];
