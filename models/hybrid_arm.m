% A serial arm of rigid links and soft ones: a turning base, a rigid upper arm on a hinge, a soft forearm, a rigid
% wrist on a hinge, and a soft finger at its end.
%
% Motors at the hinges are stiff springs whose rest angles move; a cable bends the forearm, another one the finger.
% The dimensions are chosen, not published: a desk-top arm of 0.9 m with silicone parts.
%
%   tendril sim hybrid_arm.m --from-equilibrium
%
% Expect: 28 coordinates.  The arm turns by 90 degrees within 2 s while it lifts its elbow by 0.5 rad; the forearm,
% which hangs low under the wrist's weight, swings and comes to rest after about a second.  From 2 s on both cables
% are drawn, and the finger curls.

world.g = [0 0 -9.81];

% ---- rigid links --------------------------------------------------------------------------------------------------
body(1).name = 'base';       body(1).m = 0.6; body(1).I = diag([1e-3 1e-3 1e-3]); body(1).l_com = [0 0 0.05];
body(2).name = 'upper arm';  body(2).m = 0.4; body(2).I = diag([3e-3 3e-3 1e-4]); body(2).l_com = [0 0 0.15];
body(3).name = 'wrist';      body(3).m = 0.05; body(3).I = diag([2e-5 2e-5 1e-5]); body(3).l_com = [0 0 0.02];

joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 0 1];
joint(1).dof.spring.coeff = 20; joint(1).dof.spring.init = pi/2*ramp(t, 0, 2); joint(1).dof.damp.visc = 2;

joint(2).first = 1; joint(2).second = 2;
joint(2).tr(1).trans = [0 0 0.1]; joint(2).tr(2).rot = [2 inf];
joint(2).dof.init = 1.2;
joint(2).dof.spring.coeff = 60; joint(2).dof.spring.init = 1.2 - 0.5*ramp(t, 0.5, 2); joint(2).dof.damp.visc = 3;

% ---- soft links ---------------------------------------------------------------------------------------------------
rod(1).name = 'forearm'; rod(1).model = 'gvs';
rod(1).first = 2; rod(1).tr.trans = [0 0 0.3];
rod(1).length = 0.3; rod(1).radius = 0.025 - 0.02*s;
rod(1).E = 1.2e6; rod(1).nu = 0.45; rod(1).rho = 1100; rod(1).eta = 8e3;
rod(1).order = [-1 -1 1 4 4 2];        % stretch, bending and twist

joint(3).first = rod(1); joint(3).second = 3;
joint(3).type = 'revolute'; joint(3).axis = [0 1 0];
joint(3).dof.spring.coeff = 2; joint(3).dof.spring.init = 0.4*ramp(t, 1, 2); joint(3).dof.damp.visc = 0.02;

rod(2).name = 'finger'; rod(2).model = 'gvs';
rod(2).first = 3; rod(2).tr.trans = [0 0 0.04];
rod(2).length = 0.12; rod(2).radius = 0.008 - 0.03*s;
rod(2).E = 6e5; rod(2).nu = 0.45; rod(2).rho = 1100; rod(2).eta = 2e3;
rod(2).order = [-1 -1 -1 4 4 -1];

cable(1).rod = 1; cable(1).path = [0.015 0]; cable(1).tension = 4*ramp(t, 2, 3);
cable(2).rod = 2; cable(2).path = [0.003 0]; cable(2).tension = 1.5*ramp(t, 2, 3);

sensor(1).name = 'tip'; sensor(1).value = pos(rod(2), 0.12);
sensor(2).name = 'wrist'; sensor(2).value = pos(body(3));
sensor(3).name = 'torque'; sensor(3).value = force(joint(2));

par.t_final = 5; par.dt_out = 0.02;
