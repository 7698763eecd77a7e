fluid.rho = 1000; rod(1).length = 1; rod(1).stiffness = [1 1 1 1 1 1]; rod(1).inertia = [1 1 1 1 1 1];
