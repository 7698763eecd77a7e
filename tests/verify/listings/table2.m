% Table 2 of the TMTDyn paper and what its text derives from it: read by the listings of Tables 3 and 4.
% The greek letters of the paper are written out (mu_xi, f_up); vectors that are printed bold are rows of three.
% The listings do not use its gamma = 87 deg and sigma = 1820 kg/m^3.
%
% Misprints: J subtracts diag(rO rO'), six numbers, where the three of diag(rO'rO) are meant; the inertia of a segment has m2
% where m2/nd is meant; the stiffness of a segment is that of the section over its length (Eq. 34), which the text leaves out.
ra1 = 4.5e-3;  ra2 = 12.5e-3;  rp = 2.5e-3;  rpo = 8.5e-3;  lm2 = 50e-3;  lm3 = 14.5e-3;
m2 = 28e-3;  m3 = 13.47e-3;  E = 205e3;  G = E/3;  nu = 2;
g = param('g', 9.81);
nr = param('n', 3);  nd = nr;
p = 1e4*[param('p1', 2) param('p2', 1) param('p3', 0)];

psi0 = 20*pi/180;
psio = zeros(1, 6);
for i = 1:3
  psio(2*i-1) = pi/2 - 2*(i-1)*pi/3 - psi0;
  psio(2*i) = pi/2 - 2*(i-1)*pi/3 + psi0;
end
rO = rpo*[cos(psio)', sin(psio)', zeros(6, 1)];
ap = pi*rp^2;
J = pi/4*(ra2^4 - ra1^4 - 6*rp^4)*[1, 1, 2] - ap*diag(rO'*rO)';
ac = pi*(ra2^2 - ra1^2 - 6*rp^2);
p6 = p([1 1 2 2 3 3]);
f_up = [0, 0, sum(p6)*ap];
tau_up = [0, 0, 0];
for i = 1:6, tau_up = tau_up + p6(i)*ap*cross(rO(i, :), [0, 0, 1]); end
Kv = diag(ac*[G, G, E]);
Ku = diag([E, E, G].*J);
I2 = m2/lm2*diag((ra2^2 + ra1^2)*[1/4, 1/4, 1/2]);
I2d = m2/nd*diag((ra2^2 + ra1^2)*[1/4, 1/4, 1/2] + (lm2/nd)^2*[1/12, 1/12, 0]);
I3 = diag([0, 0, 0]);                          % of the force sensor, about its centre; not printed
f_lt = [param('fx', 0), 0, 0];  tau_lt = [0, 0, 0];
