for i = 1:4, body(i).m = 1; end
joint(1).second = 1;
joint(1).type = 'revolute';
joint(2).first = 4;
joint(2).second = 2;
joint(3).first = 2;
joint(3).second = 3;
joint(4).first = 3;
joint(4).second = 4;
