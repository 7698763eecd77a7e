% A parallel continuum robot: three flexible legs hold a platform, and their bases slide.
%
%   tendril run parallel.m                    equilibrium, natural frequencies and motion
%   tendril view parallel.m                   the robot live in a browser, while you edit this file
%   tendril sim parallel.m --set lift=0.02    with leg 1 pushed up by 2 cm
%
% z points up.  The first leg carries the platform as a tree; the other two close loops with it.

n = 3;                                 % legs
R = 0.06;                              % radius of the circle of bases [m]
r = 0.04;                              % and of the circle of the platform
L = 0.3;                               % length of a leg
E = param('E', 5e9, [1e9 1e11]);       % Young's modulus of the legs [Pa]
lift = param('lift', 0.01, [-0.03 0.03]);   % how far the base of leg 1 moves up [m]

world.g = [0 0 -9.81];

% ---- legs on slides --------------------------------------------------------------------------
for k = 1:n
  phi = 2*pi*(k - 1)/n;
  body(k).name = sprintf('slide%d', k);
  body(k).m = 0.05;
  body(k).I = 1e-6*eye(3);
  joint(k).second = k;
  joint(k).tr(1).trans = [R*cos(phi) R*sin(phi) 0];
  joint(k).type = 'prismatic';
  joint(k).axis = [0 0 1];
  joint(k).dof.motion = 0;             % held; leg 1 moves, see below

  rod(k).name = sprintf('leg%d', k);
  rod(k).model = 'gvs';
  rod(k).first = k;
  rod(k).length = L;
  rod(k).radius = 1e-3;
  rod(k).E = E;
  rod(k).nu = 0.3;
  rod(k).rho = 1600;
  rod(k).eta = 2e7;
  rod(k).order = [-1 -1 -1 4 4 1];
end
joint(1).dof.motion = lift*(3*ramp(t, 0.2, 1.2)^2 - 2*ramp(t, 0.2, 1.2)^3);   % smooth

% ---- the platform ----------------------------------------------------------------------------
p = n + 1;
body(p).name = 'platform';
body(p).m = 0.04;
body(p).I = 0.04*r^2/4*diag([1 1 2]);
joint(n + 1).first = at(rod(1), L);
joint(n + 1).second = p;
joint(n + 1).tr(1).trans = [-r 0 0];
joint(n + 1).type = 'fixed';
for k = 2:n
  phi = 2*pi*(k - 1)/n;
  joint(n + k).first = at(rod(k), L);
  joint(n + k).second = p;
  joint(n + k).tr(1).trans = [-r*cos(phi) -r*sin(phi) 0];
  joint(n + k).type = 'fixed';
end

sensor(1).name = 'platform';
sensor(1).value = pos(body(p));

par.t_final = 2;                       % [s]
par.dt_out = 0.02;
