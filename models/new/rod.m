% A soft rod with a cable that bends it: the smallest continuum robot.
%
%   tendril run rod.m                  equilibrium, natural frequencies and motion
%   tendril view rod.m                 the rod live in a browser, while you edit this file
%   tendril equil rod.m --set pull=2   the shape under another tension
%   tendril compare rod.m              the same rod in every continuum model
%
% z points up; the rod hangs from the ceiling.  Its local z axis runs along it.

% ---- material and shape: other values with --set E=3e5 ---------------------------------------
L = 0.25;                              % length [m]
E = param('E', 2e5, [5e4 1e6]);        % Young's modulus [Pa], with the range that is allowed
pull = param('pull', 0.8, [0 5]);      % tension of the cable [N]

world.g = [0 0 -9.81];

rod(1).name = 'rod';
rod(1).model = 'gvs';                  % strains are polynomials along the rod
rod(1).tr(1).rot = [1 pi];             % turned about x by 180 degrees: it points down
rod(1).length = L;
rod(1).radius = 0.012 - 0.02*s;        % tapered; s is the arc length [m]
rod(1).E = E;
rod(1).nu = 0.45;                      % Poisson's ratio
rod(1).rho = 1070;                     % density [kg/m^3]
rod(1).eta = 3e3;                      % viscosity of the material [Pa s]
rod(1).order = [-1 -1 -1 4 4 2];       % shear x, y, stretch held; bending x, y and twist free

% ---- a cable along one side; the motion starts with the rod straight -------------------------
cable(1).rod = 1;
cable(1).path = [0.005 0];             % [x y] in the section [m]
cable(1).tension = pull;                % [N]; pull*ramp(t, 0, 1) draws it within a second

sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), L);

par.t_final = 2;                       % [s]
par.dt_out = 0.01;
