% The tip of a cable-driven arm follows a circle or a figure of eight.
%
% The silicone arm of cable_manipulator.m (0.3 m long, 3 cm thick) hangs down and is bent by three cables along it, whose tensions
% are the inputs.  The task is the tip's position across the arm; the smallest tensions are taken that are not negative.
%
%   path     'circle' or 'eight', in 4 s, 30 mm wide
%   mode     'static': tensions that hold the desired position, corrected by the error (I, D);
%            'dynamic': tensions from the exact equations of motion, corrected by P, I, D
%   E        modulus of the arm; what the task believes it to be is set with --assume E=...
%
% Expect: the tip is led onto the path within a second and stays there; the largest error from 2 s on is
%
%                        static              dynamic
%                   circle    eight     circle    eight
%   exact model     0.59 mm   1.4 mm    14 nm     21 nm
%   20 % too stiff  2.4 mm    3.8 mm    0.12 mm   0.17 mm    (--assume E=1.2e6)
%   20 % too soft   2.2 mm    2.5 mm    0.12 mm   0.17 mm    (--assume E=0.8e6)
%
% Small gains in mode 'dynamic' (P = 100, D = 20) do not hold the tip when the model is wrong by that much: tensions reach it
% through the elasticity they are wrong about.

path = param('path', 'circle');  mode = param('mode', 'static');
E = param('E', 1e6);
T1 = input('T1', 0);  T2 = input('T2', 0);  T3 = input('T3', 0);
L = 0.3;  offset = 0.01;                             % length, distance of the cables from the middle [m]
radius = 0.03;  w = 2*pi/4;                          % path [m, rad/s]

world.g = [0 0 9.81];                                % z points down

rod(1).name = 'arm';  rod(1).model = 'gvs';
rod(1).length = L;  rod(1).radius = 0.015;
rod(1).E = E;  rod(1).nu = 0.5;  rod(1).rho = 1000;  rod(1).eta = param('eta', 1e4);
rod(1).order = [-1 -1 -1 1 1 -1];                    % it bends
T = [T1 T2 T3];
for k = 1:3
  a = 2*pi*(k - 1)/3;
  cable(k).rod = 1;  cable(k).path = offset*[cos(a) sin(a)];  cable(k).tension = T(k);
end

tip = pos(rod(1), L);
ahead = ramp(t, 0, 1);  lead = ahead^3*(10 - 15*ahead + 6*ahead^2);
wanted = radius*lead*[cos(w*t), sin(w*t)];
if strcmp(path, 'eight'), wanted = radius*lead*[sin(w*t), sin(2*w*t)/2]; end

task(1).value = [tip(1) tip(2)];
task(1).desired = wanted;
task(1).limits = [0 20];
if strcmp(mode, 'static')
  task(1).feedforward = 'static';  task(1).I = param('I', 3);  task(1).D = param('D', 0.15);
else
  task(1).P = param('P', 1e4);  task(1).I = param('I', 1e5);  task(1).D = param('D', 200);
end

sensor(1).name = 'tip';    sensor(1).value = tip;
sensor(2).name = 'error';  sensor(2).value = hypot(tip(1) - wanted(1), tip(2) - wanted(2));
par.t_final = 5;  par.dt_out = 0.02;  par.rtol = 1e-5;
