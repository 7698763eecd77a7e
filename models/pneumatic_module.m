% One module of a pneumatic continuum manipulator: a hollow silicone cylinder with three pairs of chambers, hanging down,
% with a force sensor at its tip.
%
% After AutoTMTDyn's case C: four elements, E = 130 kPa; geometry and masses as in Table 2 of the TMTDyn paper.  That paper's
% section is used too: bending stiffness with the chambers taken out.  The printed damping (0.01 per joint) has no stated
% length; `eta` here is chosen so that the module settles in about half a second.
%
% z points down.  Pair 1 lies at +y, pairs 2 and 3 at -30 and 210 degrees.  Pressures ramp up one after the other.
%
% Expect: with no pressure the module hangs straight and is stretched by its weight.  Pressure p in one pair pushes with
% 2 p a and bends with 2 p a r about the middle: the tip goes away from the pair.  Equal pressures only stretch it.
% In `sim` pair 1 is filled between 0.1 and 0.5 s, pair 2 between 0.6 and 1 s: the tip moves to -y, then to -x and back a little.

l = 0.05;  r_in = 4.5e-3;  r_out = 12.5e-3; % module [m]
rp = 2.5e-3;  ro = 8.5e-3;                  % radius of a chamber and of the circle they lie on [m]
m = 0.028;                                  % mass of the module [kg]
ls = 0.0145;  ms = 0.01347;                 % sensor at the tip: length, mass
E = param('E', 130e3);  G = E/3;  eta = param('eta', 1.5e3);
p1 = param('p1', 4e4);  p2 = param('p2', 2e4);  p3 = param('p3', 0);      % pressures reached [Pa]

ap = pi*rp^2;                               % a chamber
spread = 10*pi/180;                         % half the angle between the two of a pair
angle = [pi/2 - spread, pi/2 + spread, -pi/6 - spread, -pi/6 + spread, 7*pi/6 - spread, 7*pi/6 + spread];
A = pi*(r_out^2 - r_in^2) - 6*ap;
I = pi/4*(r_out^4 - r_in^4) - 6*(pi/4*rp^4 + ap*ro^2/2);

world.g = [0 0 9.81];

rod(1).name = 'module';
rod(1).length = l;
rod(1).section = 'custom';
rod(1).area = A;  rod(1).Ix = I;  rod(1).Iy = I;  rod(1).J = 2*I;
rod(1).E = E;  rod(1).G = G;  rod(1).eta = eta;
rod(1).inertia = m/l*[1 1 1 (r_out^2 + r_in^2)/4*[1 1 2]];
rod(1).model = param('model', 'ebr');
rod(1).n = param('n', 4);

body(1).name = 'sensor';
body(1).m = ms;
body(1).I = ms*diag([r_out^2/4 + ls^2/12, r_out^2/4 + ls^2/12, r_out^2/2]);
body(1).l_com = [0 0 ls/2];
joint(1).first = at(rod(1), l);
joint(1).second = 1;
joint(1).type = 'fixed';

fill = {p1*ramp(t, 0.1, 0.5), p2*ramp(t, 0.6, 1), p3*ramp(t, 0.1, 0.5)};
for i = 1:6
  chamber(i).rod = 1;
  chamber(i).offset = ro*[cos(angle(i)) sin(angle(i))];
  chamber(i).area = ap;
  chamber(i).pressure = fill{ceil(i/2)};
end

sensor(1).name = 'tip';      sensor(1).value = pos(body(1), [0 0 ls]);
sensor(2).name = 'stretch';  sensor(2).value = stretch(rod(1));
sensor(3).name = 'strain';   sensor(3).value = strain(rod(1), l/2);

par.t_final = 1.5;
par.dt_out = 0.01;
