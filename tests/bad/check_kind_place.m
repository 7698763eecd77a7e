joint(1).second = 'arm';
