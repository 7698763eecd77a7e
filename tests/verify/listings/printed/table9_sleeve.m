%% Table 9 of the TMTDyn paper, the sleeve, letter by letter.  table9_sleeve.m is the copy that runs.
world.g = [0, 0, -g]; % gravity
body(1).m = m2; % pendulum rigid link
body(1).l_com= [0, 0, -lm1]; % pendulum COM
joint(1).second = 1;
joint(1).tr.rot = [2, inf]; % 1 DOF rotation around y-axis
joint(1).dof.init = theta_h0; % pendulum initial angle
joint(1).dof.damp.visc = mu_h; % pendulum joint viscous damping
% Import mesh geometry:
mesh.file_name='cad.iges'; % CAD-file name
mesh.tol= 1e-3; % geometry import tolerance
mesh.tr.trans= [0, 0, -lcz]; % mesh geometry initial position/orientation
mesh.tr.rot= [2, theta_h0];
mesh.body.m = m2/nd; % equally distributed fabric mess over the nodes
mesh.body.I = I2; % Describing the mesh absolute DOF with mesh.joint(1):
mesh.joint(1).tr.trans = [inf, inf, inf]; % masses absolute state as system DOFs
mesh.joint(1).tr.rot = [0, inf, inf, inf]; % unit quaternion representation of orientation
% Describing the mesh EB beam connections with mesh.joint(2):
mesh.joint(2).spring.coeff = [diag(K_eps), diag(K_alpha)]; % linear elasticity of beams
mesh.joint(2).spring.init = nan.ones(1, 6); % beam initial state from system geometry
mesh.joint(2).damp.visc = [mu_eps, mu_alpha]; % linear viscous damping
% Pendulum control constraint:
joint(2).second = 1;
joint(2).tr2nd.trans = [0, 0, -lcom1];
joint(2).fixed = 1; % constraining x-axis
joint(2).control = u_c; % Fabric clamps:
joint(3).first = 1;
joint(3).second = 16; % clamp at node 16 based on mesh file plot
joint(3).tr.trans = [lcx, 0, -lcz];
joint(3).fixed = ones(1, 6); % fully constrained joint
joint(4).first = 1;
joint(4).second = 14; % clamp at node 14 based on mesh file plot
joint(4).tr.trans = [-lcx, 0, -lcz];
joint(4).fixed = ones(1, 6);
