% A flag of net in the wind.
%
%      ||--o--o--o--o--o      The left edge is sewn to a pole, the rest flies.  Knots o are point masses, cords between them
%      ||  |  |  |  |  |      stretch, do not push (`dir`) and feel the wind: drag of each cord across and along it, by its own
%  =>  ||--o--o--o--o--o      velocity against the air (`mesh.fluid`).
%  =>  ||  |  |  |  |  |
%      ||--o--o--o--o--o      x is away from the pole, z up.
%
% Cords of 4 mm, 60 mm apart, 12 g/m, in air of 1.2 kg/m^3.  The wind blows along x with `wind` m/s; from t = 1 s on it turns to
% and fro by `veer` degrees about the vertical, once in 2 s.
%
% Expect: in `equil` the flag stands in the x-z plane, its lower corner sagging by 0.38 m at 6 m/s and by 0.14 m at 12 m/s.  In `sim`
% it falls from the flat shape into that one and then follows the wind to either side; behind in time, for it has mass.

nx = param('nx', 9);  nz = 6;               % knots along and up
a = 0.06;                                   % distance of the cords [m]
wind = param('wind', 6);                    % [m/s]
veer = deg2rad(param('veer', 30));
width = 4e-3;  lambda0 = 12e-3;             % of a cord [m, kg/m]

world.g = [0 0 -9.81];
turn = veer*sin(pi*(t - 1))*step(t, 1);
fluid.rho = 1.2;
fluid.velocity = wind*[cos(turn) sin(turn) 0];

% half of the cords at a knot weigh on it
m = zeros(nx*nz, 1);
for j = 1:nz
  for i = 1:nx
    m(i + nx*(j - 1)) = lambda0*a/2*((i > 1) + (i < nx) + (j > 1) + (j < nz));
  end
end

mesh.name = 'flag';
mesh.grid = [nx nz];
mesh.size = [(nx - 1)*a (nz - 1)*a];
mesh.tr.rot = [1 pi/2];                     % upright
mesh.fixed = 1:nx:nx*nz;                    % the pole
mesh.body.m = m;
mesh.joint(1).tr.trans = [inf inf inf];
mesh.joint(2).spring.coeff = 100;           % a cord [N/m]
mesh.joint(2).damp.visc = 0.05;
mesh.joint(2).dir = 1;
mesh.fluid.width = width;
mesh.fluid.drag = [1.1 0.05];               % across and along

sensor(1).name = 'low';                     % the last corners
sensor(1).value = pos(mesh(1), nx);
sensor(2).name = 'high';
sensor(2).value = pos(mesh(1), nx*nz);
sensor(3).name = 'wind';
sensor(3).value = turn;

output = {'low', 'high', 'wind', 'energy'};
par.t_final = 5;
par.dt_out = 0.02;
par.linear = 'sparse';
par.rtol = 1e-4;
par.atol = 1e-6;
