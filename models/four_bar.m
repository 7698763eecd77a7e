% A spring-loaded four-bar with a double pendulum: joints, springs and a closed loop.
%
%            o            spring from a fixed point above to the middle of the coupler
%            |
%        A===+====B       A--B coupler, O--A crank, D--B rocker, all hinged about y
%       /    |     \
%      O     o      D     a double pendulum hangs from the middle of the coupler
%             \
%              o
%
% Bodies 1-3 are the four-bar: two branches of the tree, closed by two constraint rows at B.  Bodies 4 and 5 are the
% pendulum.  Five coordinates less two constraints leave three degrees of freedom.
%
% Expect: the spring holds the frame up, so the equilibrium is stable, with the pendulum straight below the coupler;
% three modes, the slowest near the first one of the pendulum alone; let go with the pendulum at 40 and 80 degrees, the
% motion is irregular at first and dies out slowly.  Energy goes only into the dampers: the balance closes to
% the tolerance, and the loop stays closed to rounding.

a = 0.4;  b = 0.8;  c = 0.6;  w = 0.9;      % crank, coupler, rocker, distance of the ground pivots [m]
p = 0.3;                                    % each link of the pendulum [m]
k = param('k', 300);                        % spring [N/m]
top = [0.45 0 1.1];                         % where it hangs from [m]

% close the loop with the crank upright: angles from the vertical, towards x
d     = hypot(w, a);                                     % from A to D
phi   = atan2(w, -a) - acos((b^2 + d^2 - c^2)/(2*b*d));  % coupler
psi   = atan2(b*sin(phi) - w, a + b*cos(phi));           % rocker

world.g = [0 0 -9.81];

names  = {'crank', 'coupler', 'rocker', 'upper', 'lower'};
masses = [0.4 0.8 0.6 0.3 0.2];             % [kg]
ends   = [a b c -p -p];                     % links run along z, those of the pendulum downwards [m]
for i = 1:5
  body(i).name  = names{i};
  body(i).m     = masses(i);
  body(i).I     = masses(i)*ends(i)^2/12 * diag([1 1 0.01]);
  body(i).l_com = [0 0 ends(i)/2];
end

% the tree: where each link is hinged, its initial angle, friction
from  = [0 1 0 2 4];
at_z  = [0 a 0 b/2 -p];
at_x  = [0 0 w 0 0];
angle = [0, phi, psi, deg2rad(-40) - phi, deg2rad(-40)];
for i = 1:5
  joint(i).name = [names{i} '_hinge'];
  joint(i).first = from(i);
  joint(i).second = i;
  joint(i).tr(1).trans = [at_x(i) 0 at_z(i)];
  joint(i).tr(2).rot = [2 inf];
  joint(i).dof(1).init = angle(i);
  joint(i).dof(1).damp.visc = 0.01;         % [N m s/rad]
end
joint(3).dof(1).spring.coeff = 5;           % a torsion spring at D, relaxed at the start [N m/rad]
joint(3).dof(1).spring.init = nan;

% the loop: the ends of coupler and rocker share x and z
joint(6).name = 'loop';
joint(6).first = 2;
joint(6).second = 3;
joint(6).tr(1).trans = [0 0 b];
joint(6).tr2nd(1).trans = [0 0 c];
joint(6).refbody = 0;
joint(6).fixed = [1 0 1 0 0 0];

% the spring that carries it
joint(7).name = 'spring';
joint(7).first = 0;
joint(7).second = 2;
joint(7).tr(1).trans = top;
joint(7).tr2nd(1).trans = [0 0 b/2];
joint(7).spring.coeff = k;
joint(7).spring.init = 0.45;                % rest length [m]
joint(7).damp.visc = 0.5;                   % [N s/m]
joint(7).damp.along = 1;                    % damps the change of length

sensor(1).name = 'tip';     sensor(1).value = pos(body(5), [0 0 -p]);
sensor(2).name = 'spring';  sensor(2).value = length(joint(7));
sensor(3).name = 'energy';  sensor(3).value = energy();

par.t_final = 10;
par.dt_out = 0.02;
par.rtol = 1e-8;
par.atol = 1e-10;
