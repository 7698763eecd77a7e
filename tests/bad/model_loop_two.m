body(1).m = 1;
body(2).m = 1;
joint(1).first = 2;
joint(1).second = 1;
joint(1).type = 'revolute';
joint(2).first = 1;
joint(2).second = 2;
joint(2).type = 'revolute';
