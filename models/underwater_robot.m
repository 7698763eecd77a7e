% An underwater robot with four flagella: it swims to a rod and docks there by gripping it with two of them (section 5.2
% of the SoRoSim paper, with its parameters).
%
% A rigid shell floats in water.  Four motors turn hooks, bent by 45 degrees, that carry soft tapered filaments: turned,
% they coil and push.  From 14 s on a cable on the inner side of two filaments bends them around the docking rod.
%
%   tendril sim underwater_robot.m
%   tendril sim underwater_robot.m --set basis=legendre
%
% Expect: 58 coordinates, four of them prescribed.  The shell starts at x = 1 m and swims towards the rod at x = 0.02 m,
% z = 0.22 m; the motors stop at 9 s, and it glides below the rod.  Started at the published height, z = 0, it passes so low
% that the filaments slip off the rod and curl below it: the impulses of motors that start and stop at once lower the shell by 2
% to 3 cm, and the toolbox of the paper leaves them out; without them it docks (docs/published.md).  With --set height=0.03 it docks: the
% filaments close around the rod and draw the shell up to it, which it touches at 18.8 s (published: about 19.5 s) and
% where it ends near x = -0.06 m, z = 0.14 m.  A filament touches with its points, so the grip depends on how many there
% are: with --set grip=21 for 'legendre', as many as 'linear' has, the paths with both bases then stay within 3 % of the
% shell's length (0.2 m) of each other, 1 % on average.  From the published height they end 13.5 % apart, 2.4 % on average.

height = param('height', 0);           % of the start [m]
basis = param('basis', 'linear');      % 'linear' on elements, or 'legendre' (or 'monomial') of order 3
elements = param('elements', 3);       % of 'linear', as published

grip = param('grip', 0);               % points of the filaments that grip, in each element; 0: as published, 5 or 3 x 7

world.g = [0 0 -9.81];
fluid.rho = 1000;

% ---- the shell: a cylinder of 0.03 m with half balls of R at both ends, along x -----------------------------------
R = 0.09; front = pi*R^2; side = (pi + 4)*R^2;
body(1).name = 'shell';
body(1).m = 3.817782142152803; body(1).I = diag([0.013 0.01527730113902871 0.01527730113902871]);
body(1).fluid.volume = body(1).m/1000; % it floats
body(1).fluid.drag_matrix = 500*diag([front side side 2.5*side*R^3 0 0]);
body(1).fluid.added_mass = diag([1.826575045920683 1.950387632076776 1.950387632076776 0 1.0042122944690743e-9 1.0042122944690743e-9]);
joint(1).second = 1; joint(1).type = 'free'; joint(1).tr.trans = [1 0 height];

% The motors start and stop at once at 0, 3, 6 and 9 s: what these jumps of speed do to the kinetic energy is work.
% ---- four motors, hooks and filaments -----------------------------------------------------------------------------
turn  = {12*pi*ramp(t, 3, 9), 6*pi*ramp(t, 0, 3) + 6*pi*ramp(t, 6, 9), ...
         -6*pi*ramp(t, 0, 3) - 6*pi*ramp(t, 6, 9), -12*pi*ramp(t, 3, 9)};
place = [45 225 135 -45]*pi/180;       % around the shell
a = 0.0475*sqrt(2);
lift  = [-0.1 -0.1 0.1 0.1];
rs = 0.0025; ls = 0.015; V = pi*rs^2*ls;    % shafts

for k = 1:4
  b = k + 1; hook = k; filament = k + 4;
  body(b).m = 2900*V; body(b).I = 2900*V*diag([rs^2/2 (3*rs^2 + ls^2)/12 (3*rs^2 + ls^2)/12]);
  body(b).fluid.volume = V;
  body(b).fluid.drag_matrix = 500*diag([2*pi*rs*ls*0.01 2.5*rs*ls 2.5*rs*ls 0 0 0]);
  body(b).fluid.added_mass = 1000*V*diag([0 1.5 1.5 0 0 0]);
  joint(b).first = 1; joint(b).second = b;
  joint(b).tr(1).rot = [1 place(k)];
  joint(b).tr(2).trans = [a 0 -a]; joint(b).tr(2).rot = [2 pi/4];
  joint(b).tr(3).rot = [1 inf];
  joint(b).tr(4).trans = [ls/2 0 0];
  joint(b).dof.motion = turn{k};

  rod(hook).model = 'gvs';
  rod(hook).first = b; rod(hook).tr(1).trans = [ls/2 0 0]; rod(hook).tr(2).rot = [2*pi/3 1 1 1];
  rod(hook).length = 0.05; rod(hook).radius = 0.0125;
  rod(hook).E = 1e6; rod(hook).rho = 1000;
  rod(hook).shape = [0 0 0 15.708 0 0];     % rigid: 45 degrees
  rod(hook).order = -1; rod(hook).points = 5;

  rod(filament).model = 'gvs';
  rod(filament).first = rod(hook);
  rod(filament).length = 0.3; rod(filament).radius = 0.0125 - 0.0105*s/0.3;
  rod(filament).E = 6e5; rod(filament).nu = 0.5; rod(filament).rho = 1000; rod(filament).eta = 20;
  rod(filament).basis = basis; rod(filament).magnus = 4;   % as published
  grips = k == 2 || k == 3;            % those that grip touch with their points and the ends of elements
  if ~strcmp(basis, 'linear')
    rod(filament).order = [-1 -1 -1 3 3 3];
    rod(filament).points = 5;
  else
    rod(filament).order = [-1 -1 -1 0 0 0];
    rod(filament).elements = elements;
    rod(filament).points = 2 + 5*grips;
  end
  if grips && grip > 0, rod(filament).points = grip; end
  for i = [hook filament]
    rod(i).fluid.drag = [1.1 1.1 0]; rod(i).fluid.lift = lift(k); rod(i).fluid.added_mass = [0.6 0.6 0];
  end
end

% ---- docking ------------------------------------------------------------------------------------------------------
for k = 1:2
  cable(k).rod = k + 5; cable(k).path = [0 -0.01*(1 - 2.8*s)^2.5];
  cable(k).tension = 7.5*ramp(t, 14, 16.5);
  contact(k).first = rod(k + 5); contact(k).per = 'point';
end
contact(3).first = body(1);
points = [];
for x = -0.084:0.021:0.0845
  around = sqrt(R^2 - max(0, abs(x) - 0.015)^2);
  for phi = [0 40 80 280 320 360]*pi/180
    points = [points; x around*sin(phi) around*cos(phi)];
  end
end
contact(3).points = points;
for k = 1:3
  contact(k).second = 'cylinder'; contact(k).center = [0.02 0 0.22]; contact(k).axis = [0 1 0];
  contact(k).radius = 0.02;
  contact(k).stiffness = 50; contact(k).damping = 5; contact(k).law = 'approach';
end

sensor(1).name = 'shell';
sensor(1).value = pos(body(1));
sensor(2).name = 'grip';
sensor(2).value = [pos(rod(6), 0.3) pos(rod(7), 0.3)];

par.equil = 0; par.modal = 0;          % it floats: there is no equilibrium
par.t_final = 20; par.dt_out = 0.05;
par.solver = 'stiff'; par.atol = 1e-6;  % contacts; curvatures are in 1/m
