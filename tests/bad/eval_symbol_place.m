z = sym('%dz', [1 2]);
