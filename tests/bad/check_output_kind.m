output = {'q', 4};
