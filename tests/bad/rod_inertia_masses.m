rod(1).length = 0.3;
rod(1).radius = 0.01;
rod(1).E = 1e5;
rod(1).inertia = [1 2 1 1e-4 1e-4 2e-4];
