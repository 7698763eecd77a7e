%  sleeve on a moving arm
lx = 0.02; m_n = 2e-3; E = 5e3; G = E/3; th = 1e-3;
mesh.node = [0 0 0; lx 0 0; 2*lx 0 0; 0 0 -lx; lx 0 -lx; 2*lx 0 -lx];
mesh.edge = [1 2; 2 3; 4 5; 5 6; 1 4; 2 5; 3 6];
mesh.body.m = m_n; mesh.body.I = 1e-7*eye(3);
mesh.joint(1).tr(1).trans = [inf inf inf]; mesh.joint(1).tr(1).rot = [0 inf inf inf];
K_v = [G G E]*lx*th/lx; K_u = [E E G].*[lx*th^3 lx^3*th lx*th^3+lx^3*th]/12/lx;
mesh.joint(2).spring.coeff = [K_v K_u];
mesh.joint(2).spring.init = nan*ones(1,6);
mesh.joint(2).damp.visc = 1e-4*ones(1,6);
body(1).m = 0.05; body(1).I = 1e-5*eye(3); body(1).l_com = [0 0 -.1];
joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof.damp.visc = 7e-4; joint(1).dof.init = -85*pi/180*0.1;
world.g = [0 0 -9.81];
for i = 1:2
  joint(1+i).first = [1 1]; joint(1+i).second = [2 1] + [i-1 0]*0;
  joint(1+i).tr.trans = [(i-1)*lx 0 0]; joint(1+i).tr2nd.trans = [0 0 0];
  joint(1+i).fixed = ones(1,6);
end
joint(2).second = 2; joint(3).second = 3;
par.equil = 1; par.dyn = 1; par.t_final = 0.05;
