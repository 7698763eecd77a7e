% A soft tentacle that hangs from a fixed base and is bent by two tendons; its material is found from
% recorded poses (tendril fit).
%
%   tendril equil tentacle.m --set tau1=0.15                          static pose with 0.15 N m at motor 1
%   tendril fit tentacle.m --by E,rho                                 from the poses in tentacle_poses.csv, which
%                                                                     tools/tentacle_poses made with E 376e3, rho 1120
%   tendril fit tentacle.m --by E,rho --set data=recorded             from motion capture (TENDRIL_DATA)
%   tendril fit tentacle.m --by E,nu,rho --set data=recorded --set basis=published
%
% World frame: origin at the base, z up, the rod at rest along -z.  Units: m, N, Pa.  The sensors m1 ... m4 are
% the positions of four markers.  The recordings are of the public system-identification case of SoRoMoX (MIT licence);
% its authors' fit, with the nine coordinates of basis=published, is E 315094, rho 1317.66.
%
% Expect with E=315094, rho=1317.66, tau1=0.15: m4 at [0.08430 0.14602 -0.26671] with basis=published and at
% [0.0843 0.1460 -0.2387] with basis=fine: nine coordinates do not resolve this arm.

E    = param('E', 5.05e5, [1e4 1e6], 'log');     % [Pa]
nu   = param('nu', 0.45, [0.4 0.5]);             % [-]
rho  = param('rho', 1500, [500 2500]);           % [kg/m^3]
basis = param('basis', 'fine');                  % 'published': 9 coordinates; 'fine': converged
data  = param('data', 'made');                   % 'made': poses beside this file; 'recorded': of TENDRIL_DATA

% What a better fit may free
rc   = param('rc', 0.0114, [0.008 0.016]);       % [m]   distance of the tendons from the axis at the base
sc   = param('sc', 0.0295, [0 0.05]);            % [-]   by how much it falls per length
mu   = param('mu', 0, [0 1]);                    % [-]   friction of the tendons
lost = param('lost', 0, [0 0.05]);               % [N m] torque lost in each drive
ax   = param('ax', 0, [-0.2 0.2]);               % [rad] tilt of the base about world x
ay   = param('ay', 0, [-0.2 0.2]);               % [rad] and about world y
az   = param('az', 0, [-0.2 0.2]);               % [rad] turn about the vertical
d1   = param('d1', 0, [-0.03 0.03]);             % [m]   marker 1 further down the arm
d2   = param('d2', 0, [-0.03 0.03]);             % [m]   marker 2
d3   = param('d3', 0, [-0.03 0.03]);             % [m]   marker 3
pulley = 0.0325;                                 % [m]   radius of the motors' pulleys

tau1 = input('tau1', 0);                         % [N m] torque of motor 1
tau2 = input('tau2', 0);                         % [N m] torque of motor 2

world.g = [0 0 -9.81];

rod(1).model = 'gvs';
rod(1).tr(1).rot = [1 ax];
rod(1).tr(2).rot = [2 ay];
rod(1).tr(3).rot = [3 az];
rod(1).tr(4).rot = [1 pi];               % local z down ...
rod(1).tr(5).rot = [3 -pi/2];            % ... local x along world y, local y along world x
rod(1).E = E; rod(1).nu = nu; rod(1).rho = rho; rod(1).eta = 1e4;
rod(1).part(1).length = 0.305;           % tapered, with the tendons
rod(1).part(1).radius = 0.01541 - (0.01541 - 0.00642)/0.305*s;
rod(1).part(2).length = 0.055;           % thin end
rod(1).part(2).radius = 0.00642 - (0.00642 - 0.00480)/0.055*(s - 0.305);
if strcmp(basis, 'published')
  rod(1).basis = 'monomial'; rod(1).points = 8;
  rod(1).part(1).order = [-1 -1 1 1 1 0];
  rod(1).part(2).order = [-1 -1 -1 0 0 -1];
else
  rod(1).part(1).order = [1 1 3 5 5 3]; rod(1).part(1).points = 12;
  rod(1).part(2).order = [0 0 1 3 3 1];
end

d = rc - sc*s;
cable(1).path = d*[cos(pi/6)   sin(pi/6)];     cable(1).to = 0.305; cable(1).friction = mu;
cable(2).path = d*[cos(5*pi/6) sin(5*pi/6)];   cable(2).to = 0.305; cable(2).friction = mu;
cable(1).tension = max(tau1 - lost, 0)/pulley;
cable(2).tension = max(tau2 - lost, 0)/pulley;

sensor(1).name = 'm1'; sensor(1).value = pos(rod(1), 0.1291) + (rot(rod(1), 0.1291)*[0;  0.025; d1])';
sensor(2).name = 'm2'; sensor(2).value = pos(rod(1), 0.2195) + (rot(rod(1), 0.2195)*[0; -0.021; d2])';
sensor(3).name = 'm3'; sensor(3).value = pos(rod(1), 0.2800) + (rot(rod(1), 0.2800)*[0;  0.020; d3])';
sensor(4).name = 'm4'; sensor(4).value = pos(rod(1), 0.3600) + (rot(rod(1), 0.3600)*[0; 0; 0.008])';

if strcmp(data, 'recorded')
  files = {'data/tentacle/poses_m1.csv', 'data/tentacle/poses_m12.csv'}; names = {'m1', 'm12'};
else
  files = {'tentacle_poses.csv'}; names = {'made'};
end
for k = 1:numel(files)
  fit(k).data   = files{k};
  fit(k).name   = names{k};
  fit(k).input  = {'tau1', 'tau1_Nm'; 'tau2', 'tau2_Nm'};
  fit(k).sensor = {'m1', 'm1_*_m'; 'm2', 'm2_*_m'; 'm3', 'm3_*_m'; 'm4', 'm4_*_m'};
end
par.equil = 1; par.modal = 0; par.dyn = 0;
