% A spider's web, shaken at one of its threads.
%
%           \    |    /         8 radii from the hub to the frame, 6 rings of thread between them.  Point masses where they
%         ---o---o---o---       meet and in the middle of each ring thread, so that a ring thread can vibrate by itself.
%           / \  |  / \         Threads pull and do not push.  The web hangs in the x-y plane, y is up.
%
% After the web of the AutoTMTDyn paper (case A), whose numbers are not printed; those below are of a web knotted from
% elastic cord, 0.25 m in radius, that can be built: 1 mm thick, 5 MPa, 1000 kg/m^3, stretched by 8 % (radii) and 2 % (rings).
%
% Expect: an equilibrium near the drawn shape with every thread taut, sagging by 0.3 mm at the hub; the lowest mode is the
% whole web moving out of its plane like a membrane, at 13.3 Hz with the shaker holding a node.  In `sim` a constraint moves
% the outermost node of the radius along +x by 2 mm across the plane, 20 times a second, as a shaker would; `force` is what
% this takes, and the hub follows with a delay.

rings = param('rings', 6);  radii = 8;  around = 2*radii;   % masses on a ring: on the radii, and half-way between them
R = 0.25;  r0 = R/(rings + 1);              % radius of the frame and distance of the rings [m]
area = pi*0.5e-3^2;  rho = 1000;  E = param('E', 5e6);
taut_radius = 1.08;  taut_ring = 1.02;      % stretch in the drawn shape
tau = 2e-4;                                 % viscosity of a thread divided by its stiffness [s]
air = 2e-4;                                 % drag of a mass across the threads [N s/m]
f = param('f', 20);  amplitude = 2e-3;      % of the shaker [Hz, m]

% nodes: hub, rings from inside out, frame
node = zeros(1 + rings*around + radii, 3);
for ic = 1:rings
  for ip = 1:around
    angle = 2*pi*(ip - 1)/around;
    r = ic*r0;
    if mod(ip, 2) == 0                      % the middle of a straight thread between two radii
      r = r*cos(pi/radii);
    end
    node(1 + (ic - 1)*around + ip, :) = [r*cos(angle) r*sin(angle) 0];
  end
end
for k = 1:radii
  node(1 + rings*around + k, :) = R*[cos(2*pi*(k - 1)/radii) sin(2*pi*(k - 1)/radii) 0];
end

% threads: radii from the hub outwards, then rings
nedge = radii*(rings + 1) + rings*around;
edge = zeros(nedge, 2);
stretch0 = zeros(nedge, 1);
i = 0;
for k = 1:radii
  inner = 1;
  for ic = 1:rings + 1
    outer = 1 + (ic - 1)*around + 2*k - 1;
    if ic > rings
      outer = 1 + rings*around + k;
    end
    i = i + 1;
    edge(i, :) = [inner outer];
    stretch0(i) = taut_radius;
    inner = outer;
  end
end
for ic = 1:rings
  for ip = 1:around
    i = i + 1;
    edge(i, :) = 1 + (ic - 1)*around + [ip mod(ip, around)+1];
    stretch0(i) = taut_ring;
  end
end

% each thread has its length, stiffness and mass; half of the mass goes to either end
m = zeros(size(node, 1), 1);
k = zeros(nedge, 1);
for i = 1:nedge
  l = norm(node(edge(i, 2), :) - node(edge(i, 1), :))/stretch0(i);
  k(i) = area/l;
  m(edge(i, 1)) = m(edge(i, 1)) + rho*area*l/2;
  m(edge(i, 2)) = m(edge(i, 2)) + rho*area*l/2;
end

world.g = [0 -9.81 0];

mesh.name = 'web';
mesh.node = node;
mesh.edge = edge;
mesh.fixed = 2 + rings*around : 1 + rings*around + radii;
mesh.body.m = m;
mesh.joint(1).tr.trans = [inf inf inf];
for d = 1:3
  mesh.joint(1).dof(d).damp.visc = air;
end
mesh.joint(2).spring.coeff = E*k;
mesh.joint(2).spring.init = nan;
mesh.joint(2).spring.compr = 1./stretch0;
mesh.joint(2).damp.visc = tau*5e6*k;
mesh.joint(2).dir = 1;

shaken = 1 + (rings - 1)*around + 1;        % outermost ring, radius along +x
joint(1).name = 'shaker';
joint(1).second = at(mesh(1), shaken);
joint(1).fixed = [0 0 1];
joint(1).motion = [0 0 amplitude*sin(2*pi*f*t)];

sensor(1).name = 'hub';
sensor(1).value = pos(mesh(1), 1);
sensor(2).name = 'shaken';
sensor(2).value = pos(mesh(1), shaken);
sensor(3).name = 'force';
sensor(3).value = lambda(joint(1))(3);

output = {'hub', 'shaken', 'force', 'energy'};
par.t_final = 0.2;
par.dt_out = 1e-3;
par.rtol = 1e-5;                            % the hub, which moves by 0.8 mm, is within 1 um after a second
