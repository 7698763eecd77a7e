% The tip of a pneumatic appendage follows a circle or a figure of eight.
%
% The module of pneumatic_module.m with its three pressures as inputs.  The task is the tip's position across the module;
% three inputs for two numbers leave a choice, and the smallest pressures are taken that stay between 0 and 100 kPa.
%
%   path     'circle' or 'eight'
%   mode     'static': pressures that hold the desired position, corrected by the error (P, I);
%            'dynamic': pressures from the exact equations of motion, corrected by P, I, D
%   E        modulus of the module; what the task believes it to be is set with --assume E=...
%
% Expect: the tip starts at rest and is led onto the path of 6 mm in 4 s within a second; the largest error from 2 s on is
%
%                        static               dynamic
%                   circle     eight      circle    eight
%   exact model     0.073 mm   0.089 mm   0.8 nm    1.1 nm
%   20 % too stiff  0.13 mm    0.15 mm    0.20 mm   0.25 mm    (--assume E=156e3)
%   20 % too soft   0.13 mm    0.18 mm    0.20 mm   0.25 mm    (--assume E=104e3)

path = param('path', 'circle');  mode = param('mode', 'static');
E = param('E', 130e3);  G = E/3;  eta = param('eta', 1.5e3);
p1 = input('p1', 0);  p2 = input('p2', 0);  p3 = input('p3', 0);
radius = 6e-3;  w = 2*pi/4;                          % path [m, rad/s]

l = 0.05;  r_in = 4.5e-3;  r_out = 12.5e-3;          % module [m]
rp = 2.5e-3;  ro = 8.5e-3;                           % radius of a chamber and of the circle they lie on [m]
m = 0.028;  ls = 0.0145;  ms = 0.01347;              % masses of module and tip sensor [kg], its length [m]
ap = pi*rp^2;
angle = [pi/2, -pi/6, 7*pi/6];
A = pi*(r_out^2 - r_in^2) - 6*ap;
I = pi/4*(r_out^4 - r_in^4) - 6*(pi/4*rp^4 + ap*ro^2/2);

world.g = [0 0 9.81];                                % z points down

rod(1).name = 'module';
rod(1).length = l;
rod(1).section = 'custom';  rod(1).area = A;  rod(1).Ix = I;  rod(1).Iy = I;  rod(1).J = 2*I;
rod(1).E = E;  rod(1).rho = m/A/l;  rod(1).eta = eta;
rod(1).modes = [0 0 1 1 1 0];
rod(1).model = 'ebr';  rod(1).n = 3;
p = [p1 p2 p3];
for k = 1:3
  chamber(k).rod = 1;  chamber(k).offset = ro*[cos(angle(k)) sin(angle(k))];
  chamber(k).area = 2*ap;  chamber(k).pressure = p(k);
end

body(1).name = 'sensor';
body(1).m = ms;  body(1).I = ms*diag([ls^2/12 ls^2/12 1e-6]);  body(1).l_com = [0 0 ls/2];
joint(1).first = at(rod(1), l);  joint(1).second = 1;  joint(1).type = 'fixed';

tip = pos(body(1), [0 0 ls]);
ahead = ramp(t, 0, 1);  lead = ahead^3*(10 - 15*ahead + 6*ahead^2);  % onto the path without a jump of acceleration
wanted = radius*lead*[cos(w*t), sin(w*t)];
if strcmp(path, 'eight'), wanted = radius*lead*[sin(w*t), sin(2*w*t)/2]; end

task(1).value = [tip(1) tip(2)];
task(1).desired = wanted;
task(1).limits = [0 1e5];
if strcmp(mode, 'static')
  task(1).feedforward = 'static';  task(1).P = 2;  task(1).I = 20;
else
  task(1).P = 1e4;  task(1).I = 1e5;  task(1).D = 200;
end

sensor(1).name = 'tip';    sensor(1).value = tip;
sensor(2).name = 'error';  sensor(2).value = hypot(tip(1) - wanted(1), tip(2) - wanted(2));
par.t_final = 9;  par.dt_out = 0.02;
