% Learn to reach around two obstacles in a plane.
%
% An arm of three sections, 0.1 m each, hangs from the ceiling and bends in the plane x-z; each section has a pair of
% cables, pulled against each other.  Two round bars stand beside the arm, and the goal, drawn at each reset, lies behind
% them.  Observed: the ends of the three sections, and the goal.  The episode ends when the tip is within 5 mm of it.

bend = {input('bend_1', 0, [-1 1]), input('bend_2', 0, [-1 1]), input('bend_3', 0, [-1 1])};
goal = [param('random_x', 0.07, [0.06 0.08]), param('random_z', -0.24, [-0.25 -0.23])];

world.g = [0 0 -9.81];
L = 0.1;  T = 5;  r = 0.006;
rod(1).model = 'gvs';  rod(1).radius = 0.008;
rod(1).tr.rot = [pi 1 0 0];                                          % it hangs: local z points down
rod(1).E = 3e5;  rod(1).nu = 0.5;  rod(1).rho = 1070;  rod(1).eta = 6e3;
rod(1).order = [-1 -1 -1 -1 1 -1];                                   % bending in the plane
for k = 1:3
  rod(1).part(k).length = L;
  cable(2*k - 1).path = [r 0];  cable(2*k - 1).to = k*L;  cable(2*k - 1).tension = T*(1 + bend{k});
  cable(2*k).path = [-r 0];     cable(2*k).to = k*L;      cable(2*k).tension = T*(1 - bend{k});
end
bar = [0.05 -0.12; 0.04 -0.22];                                      % x, z of the bars [m]
for k = 1:2
  contact(k).first = rod(1);  contact(k).second = 'cylinder';  contact(k).axis = [0 1 0];
  contact(k).center = [bar(k, 1) 0 bar(k, 2)];  contact(k).radius = 0.02;
  contact(k).stiffness = 2e3;  contact(k).damping = 5;
end

a = pos(rod(1), L);  b = pos(rod(1), 2*L);  tip = pos(rod(1), 3*L);
gap = hypot(tip(1) - goal(1), tip(3) - goal(2));

sensor(1).name = 'observe';  sensor(1).value = 10*[a(1) a(3) b(1) b(3) tip(1) tip(3) goal];
sensor(2).name = 'reward';   sensor(2).value = -gap;
sensor(3).name = 'done';     sensor(3).value = 0.005 - gap;
par.t_final = 2;  par.dt_out = 0.1;
par.rtol = 1e-4;  par.atol = 1e-6;
