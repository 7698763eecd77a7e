mesh.tol = 1e-3;
