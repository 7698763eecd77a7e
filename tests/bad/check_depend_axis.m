p = param('p', 1);
joint(1).second = 1;
joint(1).type = 'revolute';
joint(1).axis = [0 p 1];
