body(1).fluid.volume = 1e-3;
