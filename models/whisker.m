% A bioinspired whisker: a slender beam on a compliant base, its side rubbed by a moving surface.
%
%        | surface, pushes towards +x, a little rough
%        |)
%        |  )   whisker, along z
%            )
%            |
%      =/\/\=[base]     two springs along x: the tissue, and one of tunable stiffness
%
% After the whisker of the AutoTMTDyn paper (case B).  Its numbers are not printed or not readable; those below are
% chosen: a 0.2 m long nylon hair of 1 mm radius, touched at 0.15 m, 10 mm off its axis.  Stretch, shear, torsion and bending out
% of the plane are held, as in the paper (`modes`), so that `model` may be srl or ebr.
%
% Expect: an equilibrium in which the contact force, about 0.013 N, is also the force of the base springs; the base moves by
% some 0.1 mm and the tip by about 15 mm.  The first mode of the bent whisker in contact is near 33 Hz.  In `sim` the
% surface moves by 0.2 mm at 30 Hz, and what base and whisker show of it is what the sensors of such a device see: `base` for
% the magnet, `curvature` for the piezoelectric strip.

L = 0.2;  r = 1e-3;                         % length and radius [m]
E = 2e9;  rho = 1150;  eta = 5e4;           % nylon [Pa, kg/m^3, Pa s]
kb = 60;  ks = param('ks', 40);             % tissue and tunable spring [N/m]
mu = 0.02;                                  % damping of the base [N s/m]
at_s = 0.15;  offset = param('offset', 0.01);                % where the surface touches, how far it pushes [m]
rough = param('rough', 2e-4);  f = 30;      % surface roughness [m] and its frequency [Hz]
kc = 50;  muc = 0.01;                       % contact stiffness [N/m] and damping [N s/m]

world.g = [0 0 -9.81];

body(1).name = 'base';
body(1).m = 2e-3;
joint(1).second = 1;
joint(1).tr(1).trans = [inf 0 0];
joint(1).dof(1).spring.coeff = kb;
joint(1).dof(1).damp.visc = mu;

joint(2).name = 'tunable';                  % from the ground to the base, of no length when relaxed
joint(2).second = 1;
joint(2).spring.coeff = [ks 0 0 0 0 0];

rod(1).name = 'whisker';
rod(1).first = 1;
rod(1).length = L;
rod(1).radius = r;
rod(1).E = E;  rod(1).rho = rho;  rod(1).eta = eta;
rod(1).modes = [0 0 0 0 1 0];
rod(1).model = param('model', 'ebr');
rod(1).n = param('n', 12);

body(2).name = 'surface';
body(2).m = 1;
joint(3).second = 2;
joint(3).tr(1).trans = [inf 0 0];
joint(3).dof(1).motion = offset + rough*sin(2*pi*f*t);

joint(4).name = 'contact';                  % pushes along x only, free along the surface
joint(4).first = 2;
joint(4).second = at(rod(1), at_s);
joint(4).spring.coeff = [kc 0 0 0 0 0];
joint(4).damp.visc = [muc 0 0 0 0 0];
joint(4).dir = [-1 0 0];

c = strain(rod(1), 0);
p = pos(rod(1), at_s);
w = pos(body(2));
b = pos(body(1));
sensor(1).name = 'tip';        sensor(1).value = pos(rod(1), L);
sensor(2).name = 'base';       sensor(2).value = b(1);
sensor(3).name = 'curvature';  sensor(3).value = c(5);
sensor(4).name = 'contact';    sensor(4).value = kc*max(0, w(1) - p(1));

par.t_final = 0.5;
par.dt_out = 0.001;
