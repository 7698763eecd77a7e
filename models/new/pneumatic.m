% A pneumatic module: a soft cylinder with three chambers along it, bent by pressure.
%
%   tendril run pneumatic.m                 equilibrium, natural frequencies and motion
%   tendril view pneumatic.m                the module live in a browser, while you edit this file
%   tendril sim pneumatic.m --set p1=5e4    another pressure
%
% z points up; the module hangs from the ceiling.  The tip moves away from the chamber that is filled.

L = 0.08;                              % length [m]
R = 0.012;                             % outer radius [m]
ro = 0.008;                            % distance of the chambers from the middle [m]
rc = 0.0025;                           % radius of a chamber [m]
E = param('E', 1.5e5, [5e4 1e6]);      % Young's modulus [Pa]
p1 = param('p1', 3e4, [0 1e5]);        % pressures that are reached [Pa]
p2 = param('p2', 0, [0 1e5]);
p3 = param('p3', 0, [0 1e5]);

world.g = [0 0 -9.81];

rod(1).name = 'module';
rod(1).model = 'gvs';                  % strains are polynomials along the rod
rod(1).tr(1).rot = [1 pi];             % turned about x by 180 degrees: it points down
rod(1).length = L;
rod(1).radius = R;
rod(1).E = E;
rod(1).nu = 0.49;                      % Poisson's ratio
rod(1).rho = 1070;                     % density [kg/m^3]
rod(1).eta = 1e3;                      % viscosity of the material [Pa s]
rod(1).order = [-1 -1 2 3 3 1];        % stretch, bending and twist; shear is held

% ---- chambers: pressure along the whole length, filled between 0.1 and 0.6 s -------------------
pressure = {p1, p2, p3};
for k = 1:3
  phi = 2*pi*(k - 1)/3;
  chamber(k).rod = 1;
  chamber(k).offset = ro*[cos(phi) sin(phi)];
  chamber(k).area = pi*rc^2;
  chamber(k).pressure = pressure{k}*ramp(t, 0.1, 0.6);
end

sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), L);

par.t_final = 1.5;                     % [s]
par.dt_out = 0.01;
