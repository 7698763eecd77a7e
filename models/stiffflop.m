% A pneumatic continuum appendage (one STIFF-FLOP module) with a force sensor at its tip, as printed in
% Tables 3 and 4 of the TMTDyn paper, with the parameters of the published experiment.
%
%   model    'rom' | 'srl' | 'ebr' | 'eba': polynomial pose, series of rigid links, Euler-Bernoulli
%            segments with relative or with absolute states
%   n        polynomial order or number of segments
%   load     0: the module moves freely, 1: an external load acts on its tip (needs data)
%   stretch  1: the cross-section follows the stretch (radii/sqrt(lambda), lengths*lambda), 0: it is that at the
%            stretch `lambda`, 2: as 1, but in 'rom' it follows the height of the tip over the length.  Printed is 1, the
%            integral of the axial strain; the authors' program has 2, and their results of 'rom' are those of 2 (too
%            stiff when the module bends); their loaded static results of 'srl' and 'ebr' are those of 0
%   sums     0: integrals along 'rom' by Gauss points; 100: as sums over that many left ends, the height of `stretch` = 2
%            too.  With model=rom stretch=2 sums=100 the published errors come out to all digits (docs/rods.md)
%   data     a recording (columns t_s, p1_Pa ... and the tip wrench); without one the pressures ramp up in turn
%   wrench   'published' or 'world': which columns of the recording hold the tip wrench (fx_N or fwx_N ...): the
%            published ones are turned into the world the wrong way
%   rods     0: as printed, springs and masses at segment ends; 1: the module is a `rod`, with the arrangements of
%            second order and the damping of 'rom' in all models
%
% What to expect: at rest the tip is at (0, 0, 64.5 mm), z points down.  Chamber pair 1 lies at +y and bends the
% tip to -y.  With the built-in pressures the tip ends about 20 mm to the side.  On the recorded motions
% the mean tip error is a few millimetres (docs/rods.md has the table).

mdl = param('model', 'eba');
n = param('n', 5);
loaded = param('load', 0);
follows = param('stretch', 1);
sums = param('sums', 0);
data = param('data', '');
which = param('wrench', 'published');
rods = param('rods', 0);

% ---- geometry and material
l_s = 50e-3; r_s1 = 4.5e-3; r_s2 = 12.5e-3;          % length, inner and outer radius
r_p1 = 2.5e-3; r_p2 = 3e-3; r_t = 0.2e-3;            % chamber radius, outer radius, braid thread
r_o = 8.5e-3;                                        % where the chambers are
gam = pi/2 - acos(1 - r_t^2/2/r_p2^2);               % angle of the braid
phi_o = acos(1 - r_p2^2/2/r_o^2);                    % half the angle between the chambers of a pair
m_f = 13.47e-3; l_f = 14.5e-3; r_f = 7.5e-3;         % force sensor
sigma = 1.4*1300; E = 205e3; G = E/3;
world.g = [0 0 9.81];                                % z points down

% ---- pressures and tip wrench
if isempty(data)
  p = 4e4*[ramp(t, 0, 1), ramp(t, 1, 2) - ramp(t, 3, 4), ramp(t, 2, 3)/2];
  tip_load = [0 0 0 0 0 0];
  par.t_final = 5;
else
  d = table(data);
  at_t = d.t_s + 0.05;                               % each sample is held until the next, one sample late
  p = [interp1(at_t, d.p1_Pa, t, 'previous'), interp1(at_t, d.p2_Pa, t, 'previous'), interp1(at_t, d.p3_Pa, t, 'previous')];
  tip_load = [0 0 0 0 0 0];
  if loaded && strcmp(which, 'world')
    tip_load = [interp1(at_t, d.fwx_N, t, 'previous'), interp1(at_t, d.fwy_N, t, 'previous'), interp1(at_t, d.fwz_N, t, 'previous'), ...
                interp1(at_t, d.twx_Nm, t, 'previous'), interp1(at_t, d.twy_Nm, t, 'previous'), interp1(at_t, d.twz_Nm, t, 'previous')];
  elseif loaded
    tip_load = [interp1(at_t, d.fx_N, t, 'previous'), interp1(at_t, d.fy_N, t, 'previous'), interp1(at_t, d.fz_N, t, 'previous'), ...
                interp1(at_t, d.tx_Nm, t, 'previous'), interp1(at_t, d.ty_Nm, t, 'previous'), interp1(at_t, d.tz_Nm, t, 'previous')];
  end
  par.t_final = d.t_s(end);
end
par.dt_out = 0.05;
par.rtol = 1e-6; par.atol = 1e-7;                    % a tenth of a micrometre where nothing moves
if strcmp(mdl, 'rom') && ~rods, par.atol = 1e-7/l_s^2; end % of the coefficients of s^2 and higher: the same at the tip

% ---- mean axial stretch
left = l_s*(0:sums - 1)/sums + 1e-6;                 % the ends at which the authors' program sums
lam = param('lambda', 1);
if follows
  lam = 1;
  if rods
    lam = stretch(rod(1));
  elseif strcmp(mdl, 'rom')
    lam = stretch(joint(1));
    if follows == 2
      tip = pos(body(2));
      lam = tip(3)/l_s;
      if sums                                        % of r_z' = 1 + sum (i + 1) q_i s^i
        lam = 1;
        for i = 1:n, lam = lam + (i + 1)*mean(left.^i)*q(2*n + i); end
      end
    end
  elseif strcmp(mdl, 'eba')
    lam = 0;
    for k = 1:n, lam = lam + length(joint(2), k)/l_s; end
  else
    for k = 1:n, lam = lam + dof(joint(1), 3, k)/l_s; end
  end
end

% ---- cross-section
m_s = pi*(r_s2^2 - r_s1^2 - 6*r_p1^2)*l_s*sigma;
angles = [pi/2 + phi_o, pi/2 - phi_o, -pi/6 + phi_o, -pi/6 - phi_o, 7*pi/6 + phi_o, 7*pi/6 - phi_o];
x = r_o*cos(angles)/sqrt(lam); y = r_o*sin(angles)/sqrt(lam);
r_p = r_p1*sqrt(1 - lam^2*cos(gam)^2)/sin(gam); a_p = pi*r_p^2;
a = pi*((r_s2^2 - r_s1^2)/lam - 6*r_p^2);
J = pi/4*((r_s2^4 - r_s1^4)/lam^2 - 6*r_p^4)*[1 1 2] - a_p*[sum(x.^2) sum(y.^2) 0];
K = [G*a G*a E*a E*J(1) E*J(2) G*J(3)]/lam;       % per length
p6 = p([1 1 2 2 3 3]);
act = [0 0 sum(p6)*a_p sum(p6.*y)*a_p -sum(p6.*x)*a_p 0];
a_s = sigma*pi*(r_s2^2 - r_s1^2); rr = r_s2^2 + r_s1^2;

% ---- the module
l = l_s/n;
tip_body = 2;                                        % the force sensor
if ~rods, body(1).name = 'module'; end
if rods
  tip_body = 1;
  rod(1).name = 'module';
  rod(1).length = l_s;
  rod(1).model = mdl;
  rod(1).n = n;
  rod(1).stiffness = K;
  rod(1).inertia = [m_s/l_s*[1 1 1] a_s*[rr/4 rr/4 rr/2]];
  rod(1).damp.visc = [1e-1 1e-1 1e-1 1e-5 1e-5 1e-5];
  rod(1).damp.pow = 2;
  rod(1).input = act;
  sensor_joint = 1;
  joint(1).first = rod(1);
elseif strcmp(mdl, 'rom')
  body(1).m = m_s/l_s;
  body(1).I = a_s*diag([rr/4 rr/4 rr/2]);
  joint(1).second = [1 l_s];
  joint(1).rom.order = n;
  if sums, joint(1).rom.points = [left/l_s; ones(1, sums)/sums]; end
  joint(1).tr.trans = [inf inf inf];
  joint(1).tr.rot = [0 inf inf inf];
  joint(1).dof(3).init = (1:n)*l_s/n;
  joint(1).spring.coeff = K;
  joint(1).damp.visc = [1e-1 1e-1 1e-1 1e-5 1e-5 1e-5];
  joint(1).damp.pow = 2;
  joint(1).input = act;
  sensor_joint = 2;
  joint(2).first = [1 l_s];
else
  body(1).m = m_s/n;
  body(1).I = a_s*l*diag([(3*rr + l^2)/12 (3*rr + l^2)/12 rr/2]);
  body(1).tip = [0 0 l];
  mu = [1e-1 1e-1 1e-1 1e-5 1e-5 1e-5];
  if strcmp(mdl, 'eba')
    joint(1).second = [1 1:n];
    joint(1).tr(1).trans = [inf inf inf];
    joint(1).tr(1).rot = [0 inf inf inf];
    joint(1).chart = 'vector';                         % the published states; it never turns by half a turn
    joint(1).dof(3).init = (1:n)'*l;
    joint(2).first = [1 0:n-1];
    joint(2).second = [1 1:n];
    joint(2).spring.coeff = K/l;
    joint(2).spring.init = [0 0 nan 0 0 0];
    joint(2).damp.visc = [1e2 1e2 1e2 1e-2 1e-2 1e-2];
    joint(2).damp.pow = 2;
    joint(2).input = act;
    sensor_joint = 3;
  else
    joint(1).first = [1 0:n-1];
    joint(1).second = [1 1:n];
    joint(1).tr(1).trans = [0 0 l];
    joint(1).tr(2).trans = [inf inf inf];
    order = 1:6;
    if strcmp(mdl, 'srl')
      joint(1).tr(2).rot = [3 inf];
      joint(1).tr(3).rot = [1 inf];
      joint(1).tr(4).rot = [2 inf];
      order = [1 2 3 6 4 5];                           % twist about z comes first
    else
      joint(1).tr(2).rot = [inf inf inf];
    end
    for i = 1:6
      joint(1).dof(i).spring.coeff = K(order(i))/l;
      joint(1).dof(i).damp.visc = mu(order(i));
      joint(1).dof(i).damp.pow = 2;
      joint(1).dof(i).input = act(order(i));
    end
    sensor_joint = 2;
  end
  joint(sensor_joint).first = [1 n];
end

% ---- force sensor at the tip
body(tip_body).name = 'sensor';
body(tip_body).m = m_f;
body(tip_body).I = m_f*diag([(3*r_f^2 + l_f^2)/12 (3*r_f^2 + l_f^2)/12 r_f^2/2]);
body(tip_body).l_com = [0 0 l_f/2];
joint(sensor_joint).second = tip_body;
mesh = [];
exload(1).exbody = tip_body;
exload(1).ftau = tip_load;
exload(1).tr(1).trans = [0 0 l_f];

sensor(1).name = 'tip'; sensor(1).value = pos(body(tip_body), [0 0 l_f]);
sensor(2).name = 'lambda'; sensor(2).value = lam;
par.equil = 0; par.modal = 0;
