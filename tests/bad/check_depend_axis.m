joint(1).second = 1;
joint(1).type = 'revolute';
joint(1).axis = [0 t 1];
