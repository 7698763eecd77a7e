joint(1).second = 1;
joint(1).type = 'revolut';
