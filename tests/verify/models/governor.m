% Flyball governor with stiff spring-dampers (IFToMM A05).
world.g = [0 0 -9.81];
rho = 3000;
bar = rho*1*0.01*0.01;
cube = rho*0.1^3;
tip = 5;

body(1).name = 'shaft';
body(1).m = bar;
body(1).I = bar/12*diag([1+1e-4 1+1e-4 2e-4]);
body(1).l_com = [0 0 0.5];
joint(1).second = 1;
joint(1).tr(1).rot = [3 inf];
joint(1).dof(1).rate = 2*pi;

body(2).name = 'slider';
body(2).m = cube;
body(2).I = cube/6*0.01*eye(3);
joint(2).first = 1;
joint(2).second = 2;
joint(2).tr(1).trans = [0 0 inf];
joint(2).dof(1).init = 0.5;

% rods along local x, with the tip mass in one body
m = bar + tip;
c = (bar*0.5 + tip*1)/m;
side = bar*(1 + 1e-4)/12 + bar*(c - 0.5)^2 + tip*(1 - c)^2;
for k = 1:2
  body(2+k).m = m;
  body(2+k).l_com = [c 0 0];
  body(2+k).I = diag([bar*2e-4/12 side side]);
  joint(2+k).first = 1;
  joint(2+k).second = 2 + k;
  joint(2+k).tr(1).rot = [3 (k-1)*pi];
  joint(2+k).tr(2).trans = [0.05 0 1];
  joint(2+k).tr(2).rot = [2 inf];
  joint(2+k).dof(1).init = pi/6;

  joint(4+k).first = 2;
  joint(4+k).second = 2 + k;
  joint(4+k).tr(1).trans = [(3-2*k)*0.05 0 0];
  joint(4+k).tr2nd(1).trans = [0.5 0 0];
  joint(4+k).spring.coeff = 8e5;
  joint(4+k).spring.init = 0.5;
  joint(4+k).damp.visc = 4e4;
  joint(4+k).damp.along = 1;
end
sensor(1).name = 's';     sensor(1).value = dof(joint(2), 1);
sensor(2).name = 'psi';   sensor(2).value = pi/2 - dof(joint(3), 1);
sensor(3).name = 'omega'; sensor(3).value = ddof(joint(1), 1);
sensor(4).name = 'phi';   sensor(4).value = dof(joint(1), 1);
