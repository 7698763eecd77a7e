% A soft block, a lattice of springs, dropped on the ground or pressed by a plane.
%
%       o---o---o---o     n x n x n nodes, 20 mm apart: springs along the edges of the cells and both diagonals of every face of
%       | x | x | x |     them.  Its nodes touch the ground, with friction, and come down on it `tilt` degrees askew.
%       o---o---o---o
%       | x | x | x |     With --set press=0.004 the lowest nodes are held instead, and a plane above is 4 mm below the top that
%       o---o---o---o     the block has at rest; with --set lower=0.3 too it comes down to there within 0.3 s.
%     =================
%
% Expect, with n = 5: in `sim` it falls by 50 mm, bounces, turns upright and comes to rest on the ground, which carries its weight
% then, 2.45 N.  With `equil --set press=0.004`, 5 % of its height, the plane carries 10.3 N, with 0.008 21.3 N; the block bulges:
% the middle of a side face (`side`) moves outwards by 0.39 mm at 4 mm.

n = param('n', 5);                          % nodes along each edge
a = 20e-3;  H = (n - 1)*a;                  % distance of the nodes, height [m]
press = param('press', 0);                  % [m]
lower = param('lower', 0);                  % [s]
drop = param('drop', 0.05);                 % from where it falls [m]
tilt = deg2rad(param('tilt', 5));
k = param('k', 300);                        % stiffness of a spring [N/m]
m = 2e-3;                                   % mass of a node [kg]
stiffness = 2e3;                            % of the contact of a node [N/m]

world.g = [0 0 -9.81];

mesh.name = 'block';
mesh.grid = [n n n];
mesh.size = [H H H];
mesh.body.m = m;
mesh.joint(1).tr.trans = [inf inf inf];
mesh.joint(2).spring.coeff = k;
mesh.joint(2).damp.visc = 0.1;
mesh.joint(3).spring.coeff = k/2;           % diagonals
mesh.joint(3).damp.visc = 0.05;

contact(1).first = mesh(1);
contact(1).second = 'plane';
contact(1).stiffness = stiffness;
contact(1).damping = 1;
contact(1).friction = 0.5;
contact(1).slip = 0.02;
carried = 0;                                % by the plane
if press > 0
  mesh.fixed = 'edge';
  contact(1).name = 'press';
  plane = H - press;
  if lower > 0
    plane = H - press*ramp(t, 0, lower);
  end
  contact(1).point = [0 0 plane];
  contact(1).normal = [0 0 -1];
  for i = n*n*(n - 1) + (1:n*n)
    carried = carried + stiffness*max(0, pos(mesh(1), i)(3) - plane);
  end
else
  mesh.fixed = 'none';
  mesh.tr(1).trans = [0 0 drop];
  mesh.tr(2).rot = [2 -tilt];
  contact(1).name = 'ground';
  for i = 1:n*n
    carried = carried + stiffness*max(0, -pos(mesh(1), i)(3));
  end
end

middle = (n + 1)/2;
sensor(1).name = 'carried';
sensor(1).value = carried;
sensor(2).name = 'side';                    % middle of the face x = H
sensor(2).value = pos(mesh(1), n + n*(middle - 1) + n*n*(middle - 1));
sensor(3).name = 'top';                     % middle of the top
sensor(3).value = pos(mesh(1), middle + n*(middle - 1) + n*n*(n - 1));

output = {'carried', 'side', 'top', 'energy'};
par.t_final = 1;
par.dt_out = 5e-3;
par.rtol = 1e-5;
par.atol = 1e-7;
