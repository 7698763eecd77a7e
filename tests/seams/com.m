% The centre of mass of a body with a rod of segments and a polynomial one; a motor that follows it.
world.g = [0 0 -9.81]; c = com;
body(1).m = 0.4; body(1).I = 1e-2*diag([1 2 2.5]); body(1).l_com = [0.05 0.02 -0.1];
joint(1).second = 1; joint(1).type = 'spherical'; joint(1).dof(2).rate = 1;
joint(1).dof(1).input = -2*c(2); joint(1).dof(2).input = 2*c(1);
for k = 1:2
  rod(k).first = 1; rod(k).length = 0.2; rod(k).radius = 0.01; rod(k).E = 1e6; rod(k).rho = 1000*k; rod(k).eta = 1e3;
end
rod(1).model = 'srl'; rod(1).n = 2; rod(2).model = 'rom'; rod(2).n = 2; rod(2).tr.rot = [1 pi/2];
sensor(1).name = 'c'; sensor(1).value = c;
sensor(2).name = 'v'; sensor(2).value = [vel(body(1), [0 0 -1]) energy];
par.t_final = 0.1;
