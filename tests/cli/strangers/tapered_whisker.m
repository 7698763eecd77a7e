% whisker of SRL elements, tapered; recorded base motion
N = 8; L = 0.05; E = 3e9; rho = 1.1e3;
s_i = linspace(0,L,N+1); s_m = (s_i(1:end-1)+s_i(2:end))/2;
R = @(s) 60e-6*(1 - 0.95*s/L);
A = pi*R(s_m).^2; I = pi/4*R(s_m).^4; dl = L/N;
m = rho*A*dl;
Ixx = arrayfun(@(mm,r) mm*(3*r^2+dl^2)/12, m, R(s_m));
data.t = (0:0.01:0.1)'; data.u = 1e-3*sin(2*pi*10*data.t);
for k = 1:N
  body(k).m = m(k); body(k).I = diag([Ixx(k) Ixx(k) m(k)*R(s_m(k))^2/2]); body(k).l_com = [0 0 dl/2];
  joint(k).first = k-1; joint(k).second = k;
  joint(k).tr(1).trans = [0 0 (k>1)*dl];
  joint(k).tr(2).rot = [1 inf]; joint(k).tr(3).rot = [2 inf];
  kk = E*I(k)/dl;
  for d = 1:2
      joint(k).dof(d).spring.coeff = kk; joint(k).dof(d).damp.visc = 1e-3*kk;
  end
end
joint(1).tr(1).trans = [inf 0 0];
joint(1).dof(3) = joint(1).dof(2); joint(1).dof(2) = joint(1).dof(1);
joint(1).dof(1) = struct('spring',[],'damp',[]);
joint(1).dof(1).motion = interp1(data.t, data.u, t, 'spline');
exload(1).exbody = N; exload(1).tr(1).trans = [0 0 dl]; exload(1).ftau = [0 1e-6 0 0 0 0];
par.t_final = 0.02; par.equil = 0; par.dyn = 1;
