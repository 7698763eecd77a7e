% The tip of a cable-driven arm follows a circle or a figure of eight.
%
% A silicone rod hangs down and is bent by three cables along it, whose tensions are the inputs.  The task is the tip's position
% across the arm; the smallest tensions are taken that are not negative.
%
%   path     'circle' or 'eight'
%   mode     'static': tensions that hold the desired position, corrected by the error (I, D);
%            'dynamic': tensions from the exact equations of motion
%   E        modulus of the arm; what the task believes it to be is set with --assume E=...
%
% Expect: the tip is led onto the path within a second.  Afterwards the error on the circle of 30 mm in 4 s is below 0.6 mm ('static'),
% 2.2 mm with a modulus that is 20 % off (--assume E=6e5), and below 10 nm in mode 'dynamic'.

path = param('path', 'circle');  mode = param('mode', 'static');
E = param('E', 5e5);
T1 = input('T1', 0);  T2 = input('T2', 0);  T3 = input('T3', 0);
L = 0.25;  r = 0.012;  offset = 8e-3;                % length, radius, distance of the cables from the middle [m]
radius = 0.03;  w = 2*pi/4;                          % path [m, rad/s]

world.g = [0 0 9.81];                                % z points down

rod(1).name = 'arm';
rod(1).length = L;  rod(1).radius = r;  rod(1).E = E;  rod(1).rho = 1100;  rod(1).eta = param('eta', 1e3);
rod(1).modes = [0 0 0 1 1 0];                        % it bends
T = [T1 T2 T3];
for k = 1:3
  a = 2*pi*(k - 1)/3;
  cable(k).rod = 1;  cable(k).path = offset*[cos(a) sin(a)];  cable(k).tension = T(k);
end

tip = pos(rod(1), L);
s = ramp(t, 0, 1);  lead = s^3*(10 - 15*s + 6*s^2);
wanted = radius*lead*[cos(w*t), sin(w*t)];
if strcmp(path, 'eight'), wanted = radius*lead*[sin(w*t), sin(2*w*t)/2]; end

task(1).value = [tip(1) tip(2)];
task(1).desired = wanted;
task(1).limits = [0 20];
if strcmp(mode, 'static')
  task(1).feedforward = 'static';  task(1).I = param('I', 3);  task(1).D = param('D', 0.15);
else
  task(1).P = 100;  task(1).D = 20;
end

sensor(1).name = 'tip';    sensor(1).value = tip;
sensor(2).name = 'error';  sensor(2).value = hypot(tip(1) - wanted(1), tip(2) - wanted(2));
par.t_final = 5;  par.dt_out = 0.02;  par.rtol = 1e-5;
