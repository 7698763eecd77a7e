% A sleeve of fabric clipped to a pendulum.
%
%         o  pivot                 The sleeve is a net of 15 nodes and 22 edges: three strands of fabric that hang from two
%         |                        clips (nodes 16 and 14) and a free node at the back (15), joined by cross strands, as the
%      14-+-16   clips             CAD file of the experiment draws it.  Its nodes are rigid masses, its edges elastic ribbons.
%       |\|/|
%       | | |    sleeve, 0.33 m
%
% The fabric experiment of the TMTDyn paper (case E2, Table 9).  Without the CAD file, the same net is made from the numbers
% below; with it, --set file=exp2.iges.  With a recording, --set recording=fabric_fab1112.csv, a constraint on its x position
% makes the pendulum follow the recorded angle, in the plane and with the rate that were recorded; without one it is released
% at 85 degrees.  `material` is 'published' (5 kPa; every edge has dampers of 100 N s/m and 100 N m s/rad, and creeps) or
% 'fitted' (200 kPa, 10 N s/m, 0.01 N m s/rad; it settles in some tenths of a second).
%
% Expect, without a recording: in `equil` the pendulum hangs almost straight down, its sleeve is drawn out by its weight and
% the two clips carry all of it, 0.353 N.  In `sim` the free pendulum swings with a period near 1.1 s; the hem of the sleeve
% moves along z twice as often as along x, and sinks while it swings.  With the recording, whose trackers sat at the hem, `hem`
% is 27 mm away from the first tracker on average with the published material and 24 mm with the fitted one.

file = param('file', '');
recording = param('recording', '');
material = param('material', 'published');
E0 = 5e3;  mu0 = 100;  nu0 = 100;
if strcmp(material, 'fitted')
  E0 = 200e3;  mu0 = 10;  nu0 = 0.01;
end
E = param('E', E0);  G = E/3;               % of the fabric [Pa]
mu = param('mu', mu0);                      % dampers of an edge, between its ends [N s/m]
nu = param('nu', nu0);                      % and for its bending and twist [N m s/rad]
angle0 = deg2rad(param('angle', 85));       % where the pendulum starts, towards +x,
rate0 = 0;  heading = 0;                    % how fast, and where its plane points to

if ~isempty(recording)                      % the recorded angle as a smooth function of time: least squares
  d = table(recording);
  n = numel(d.t_s);
  span = [d.t_s(1) d.t_s(n)];
  crossings = sum(d.theta_link1_rad(1:n-1).*d.theta_link1_rad(2:n) < 0);
  w = pi*crossings/(span(2) - span(1));
  c = waves(d.t_s, w, span)\d.theta_link1_rad;
  angle0 = waves(span(1), w, span)*c;
  rate0 = (waves(span(1) + 1e-4, w, span) - waves(span(1) - 1e-4, w, span))*c/2e-4;
  plane = polyfit(d.link1_x_m, d.link1_y_m, 1);
  heading = atan(plane(1));
end

width = 73e-3/5;  thick = 0.8e-3;           % of a ribbon [m]
m2 = 36e-3/15;                              % mass of a node [kg]
lz = 30e-3;  lcom = 135e-3;                 % from the pivot to the clips and to the pendulum's mass [m]
I2 = m2/12*diag([thick^2 + width^2, 2*width^2, width^2 + thick^2]);
J = [width*thick^3, width^3*thick, width*thick*(width^2 + thick^2)]/12;

world.g = [0 0 -9.81];

body(1).name = 'pendulum';
body(1).m = 0.04;
body(1).l_com = [0 0 -lcom];
joint(1).name = 'pivot';
joint(1).second = 1;
joint(1).tr(1).rot = [3 heading];
joint(1).tr(2).rot = [2 inf];
joint(1).dof(1).init = -angle0;             % a turn about y by -angle0 brings it towards +x
joint(1).dof(1).rate = -rate0;
joint(1).dof(1).damp.visc = 7e-4;

mesh.name = 'sleeve';
if isempty(file)
  x = [36 36 36 36 0 -40 -40 -40 -40 0 0 0 -40 0 36]';
  y = [0 0 0 0 0 0 0 0 0 33.8258258 22.5945946 10.966967 0 44 0]';
  z = [-77 -162 -250 -333 -333 -333 -250 -162 -77 -77 -162 -250 0 0 0]';
  mesh.node = [x y z]/1000;
  mesh.edge = [15 1; 1 2; 2 3; 3 4; 4 5; 5 6; 6 7; 7 8; 8 9; 9 13; 14 10; 10 11; 11 12; 12 5; ...
               7 12; 12 3; 9 10; 10 1; 13 14; 14 15; 8 11; 11 2];
else
  mesh.file_name = file;
  mesh.tol = 1e-3;
end
mesh.fixed = 'none';
mesh.tr(1).rot = [3 heading];
mesh.tr(2).rot = [2 -angle0];
mesh.tr(3).trans = [0 0 -lz];
mesh.body.m = m2;
mesh.body.I = I2;
mesh.joint(1).tr.trans = [inf inf inf];
mesh.joint(1).tr.rot = [0 inf inf inf];
mesh.joint(2).spring.coeff = [G*thick G*thick E*thick [E E G].*J/width];
mesh.joint(2).spring.init = nan*ones(1, 6);
mesh.joint(2).damp.visc = [mu mu mu nu nu nu];

joint(2).name = 'right clip';               % nodes are bodies 2 to 16
joint(2).first = 1;
joint(2).tr.trans = [36e-3 0 -lz];
joint(2).second = 16;
joint(2).fixed = ones(1, 6);
joint(3).name = 'left clip';
joint(3).first = 1;
joint(3).tr.trans = [-40e-3 0 -lz];
joint(3).second = 14;
joint(3).fixed = ones(1, 6);

par.t_final = 5;
if ~isempty(recording)
  joint(4).name = 'recorded';
  joint(4).second = 1;
  joint(4).tr2nd.trans = [0 0 -lcom];
  joint(4).fixed = [1 0 0];
  joint(4).motion = [lcom*cos(heading)*sin(waves(t, w, span)*c) 0 0];
  par.t_init = d.t_s(1);
  par.t_final = d.t_s(n);
end

sensor(1).name = 'hem';                     % s1: middle of the lower end
sensor(1).value = pos(mesh(1), 5);
sensor(2).name = 'back';                    % s2 as published, 83 mm above the hem
sensor(2).value = pos(mesh(1), 12);
sensor(3).name = 'link';
sensor(3).value = pos(body(1), [0 0 -lcom]);
sensor(4).name = 'clips';                   % what the clips carry
sensor(4).value = lambda(joint(2)) + lambda(joint(3));
sensor(5).name = 'side';                    % the other tracker
sensor(5).value = pos(mesh(1), 4);

output = {'hem', 'side', 'back', 'link', 'clips', 'energy'};
par.dt_out = 0.025;
par.rtol = 1e-4;
par.atol = 1e-6;
par.linear = 'sparse';

% Waves of the swing and of its third harmonic with slowly changing amplitudes, and a slow rest.
function B = waves(t, w, span)
  u = (2*t - span(1) - span(2))/(span(2) - span(1));
  B = [];
  for j = 0:4
    B = [B, u.^j, u.^j.*cos(w*t), u.^j.*sin(w*t), u.^j.*cos(3*w*t), u.^j.*sin(3*w*t)];
  end
end
