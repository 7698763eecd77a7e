% The pneumatic STIFF-FLOP module as a rod, its modulus and the reach of its pressures found from recorded poses.
%
%   tendril fit stiffflop_fit.m --by E --set data=$TENDRIL_DATA/data/stiffflop --on noload
%   tendril fit stiffflop_fit.m --by E,gain --set data=$TENDRIL_DATA/data/stiffflop --leave-out 1
%
% Poses are those at which the recorded motion pauses: nine without load, ten with a load whose wrench was measured.  Geometry
% and masses as in stiffflop.m, but with a section that does not follow the stretch.  z points down.  Without a load the poses know
% E/gain only, which `fit` tells; the load tells them apart.
%
% Expect in `equil` with p1 = 3e4: the tip goes to -y.  Fitted on the poses without load and tested on the others, see docs/fit.md.

E    = param('E', 205e3, [2e4 2e6], 'log');   % [Pa]
gain = param('gain', 1, [0.3 3]);             % of the pressures: area of the chambers relative to the drawing
z0   = param('z0', 0, [-0.01 0.01]);          % [m] height of the base
data = param('data', '');                     % folder of the recordings; '': none

l_s = 50e-3; r_s1 = 4.5e-3; r_s2 = 12.5e-3; r_p = 2.5e-3; r_o = 8.5e-3;
m_f = 13.47e-3; l_f = 14.5e-3; r_f = 7.5e-3;
phi_o = acos(1 - 3e-3^2/2/r_o^2);
angles = [pi/2 + phi_o, pi/2 - phi_o, -pi/6 + phi_o, -pi/6 - phi_o, 7*pi/6 + phi_o, 7*pi/6 - phi_o];
world.g = [0 0 9.81];

p = [input('p1', 0), input('p2', 0), input('p3', 0)];                    % [Pa]
f = [input('fx', 0), input('fy', 0), input('fz', 0)];                    % [N]   at the tip, in the world
m = [input('tx', 0), input('ty', 0), input('tz', 0)];                    % [N m]

rod(1).name = 'module'; rod(1).model = 'gvs'; rod(1).order = [0 0 1 3 3 0];
rod(1).length = l_s; rod(1).section = 'custom';
rod(1).area = pi*(r_s2^2 - r_s1^2 - 6*r_p^2);
I = pi/4*(r_s2^4 - r_s1^4) - 6*(pi/4*r_p^4 + pi*r_p^2*r_o^2/2);
rod(1).Ix = I; rod(1).Iy = I; rod(1).J = 2*I;
rod(1).E = E; rod(1).G = E/3; rod(1).eta = 1e3; rod(1).rho = 1820;
rod(1).tr(1).trans = [0 0 z0];

body(1).name = 'sensor'; body(1).m = m_f;
body(1).I = m_f*diag([r_f^2/4 + l_f^2/12, r_f^2/4 + l_f^2/12, r_f^2/2]); body(1).l_com = [0 0 l_f/2];
joint(1).first = at(rod(1), l_s); joint(1).second = 1; joint(1).type = 'fixed';
for i = 1:6
  chamber(i).rod = 1; chamber(i).offset = r_o*[cos(angles(i)) sin(angles(i))];
  chamber(i).area = gain*pi*r_p^2; chamber(i).pressure = p(ceil(i/2));
end
exload(1).exbody = 1; exload(1).tr(1).trans = [0 0 l_f]; exload(1).ftau = [f m];

sensor(1).name = 'tip'; sensor(1).value = pos(body(1), [0 0 l_f]);

% poses at which the recording pauses
if ~isempty(data)
  pauses = {[7 13.45 20 24.5 29.4 33.4 37.5 42.9 49.2] + 1.7, [8.9 15.7 18.1 26.7 30 33 36.3 42.4 44.8 52.4]};
  names = {'noload', 'load1'};
  columns = {'p1', 'p1_Pa'; 'p2', 'p2_Pa'; 'p3', 'p3_Pa'};
  loads = {'fx', 'fwx_N'; 'fy', 'fwy_N'; 'fz', 'fwz_N'; 'tx', 'twx_Nm'; 'ty', 'twy_Nm'; 'tz', 'twz_Nm'};
  for k = 1:2
    d = table([data '/stiffflop_' names{k} '.csv']);
    at_t = pauses{k};
    pose.p1_Pa = interp1(d.t_s, d.p1_Pa, at_t); pose.p2_Pa = interp1(d.t_s, d.p2_Pa, at_t); pose.p3_Pa = interp1(d.t_s, d.p3_Pa, at_t);
    pose.x_m = interp1(d.t_s, d.x_m, at_t); pose.y_m = interp1(d.t_s, d.y_m, at_t); pose.z_m = interp1(d.t_s, d.z_m, at_t);
    fit(k).name = names{k};
    fit(k).input = columns;
    if k == 2
      pose.fwx_N = interp1(d.t_s, d.fwx_N, at_t); pose.fwy_N = interp1(d.t_s, d.fwy_N, at_t); pose.fwz_N = interp1(d.t_s, d.fwz_N, at_t);
      pose.twx_Nm = interp1(d.t_s, d.twx_Nm, at_t); pose.twy_Nm = interp1(d.t_s, d.twy_Nm, at_t); pose.twz_Nm = interp1(d.t_s, d.twz_Nm, at_t);
      fit(k).input = [columns; loads];
    end
    fit(k).data = pose;
    fit(k).sensor = {'tip_x', 'x_m'; 'tip_y', 'y_m'; 'tip_z', 'z_m'};
  end
end
par.equil = 1; par.modal = 0; par.dyn = 0;
