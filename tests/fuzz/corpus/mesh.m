mesh.file = 'cad.iges';
mesh.tol = 1e-3;
mesh.joint(2).spring.init = nan*ones(1, 6);
