% A soft gripper: three tapered silicone fingers around a palm close by cables on a ball and hold it, then the palm
% lifts it.
%
% The fingers are strain-parametrised rods that hang from the palm; each has a cable on its inner side.  The ball is
% a free body; it rests on a table, and fingers and table touch it by soft contact with friction.  Dimensions are
% chosen, not published.
%
%   tendril sim soft_gripper.m
%
% Expect: the fingers close within a second and touch the ball; from 1.5 s to 2.5 s the palm rises by 0.1 m, and the
% ball with it.

grip = param('grip', 4);               % tension of each cable [N]

world.g = [0 0 -9.81];

% ---- the palm, moved up and down -----------------------------------------------------------------------------------
body(1).name = 'palm'; body(1).m = 0.3; body(1).I = 1e-3*eye(3);
joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [0 0 1];
joint(1).tr(1).trans = [0 0 0.15];
joint(1).dof.motion = 0.1*(3*ramp(t, 1.5, 2.5)^2 - 2*ramp(t, 1.5, 2.5)^3);

% ---- three fingers -------------------------------------------------------------------------------------------------
for k = 1:3
  rod(k).model = 'gvs';
  rod(k).first = 1;
  rod(k).tr(1).rot = [3 2*pi*k/3];
  rod(k).tr(2).trans = [0.045 0 0];
  rod(k).tr(3).rot = [2 pi];           % downwards; local x points outwards as -x: inside is +x
  rod(k).length = 0.14; rod(k).radius = 0.01 - 0.03*s;
  rod(k).E = 5e5; rod(k).nu = 0.45; rod(k).rho = 1100; rod(k).eta = 3e3;
  rod(k).order = [-1 -1 -1 3 3 2]; rod(k).points = 12;   % touches with its points
  cable(k).rod = k; cable(k).path = [0.004 0];
  cable(k).tension = grip*ramp(t, 0.2, 1);
  contact(k).first = rod(k); contact(k).second = body(2); contact(k).ball2 = 0.03;
end

% ---- a ball on a table ---------------------------------------------------------------------------------------------
body(2).name = 'ball'; body(2).m = 0.03; body(2).I = 0.4*0.03*0.03^2*eye(3);
joint(2).second = 2; joint(2).type = 'free'; joint(2).tr.trans = [0 0 0.0299];
contact(4).first = body(2); contact(4).second = 'plane'; contact(4).ball = 0.03;
contact(4).stiffness = 3000; contact(4).damping = 1; contact(4).friction = 0.6;
for k = 1:3
  contact(k).stiffness = 2e4; contact(k).damping = 1; contact(k).friction = 0.8; contact(k).slip = 5e-3;
end

sensor(1).name = 'height';
sensor(1).value = pos(body(2))*[0; 0; 1];
sensor(2).name = 'tip';
sensor(2).value = pos(rod(1), 0.14);

par.t_final = 3; par.dt_out = 0.02;
