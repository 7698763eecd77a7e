joint(1).second = 1;
joint(1).type = 'revolute';
joint(1).pitch = 0.01;
