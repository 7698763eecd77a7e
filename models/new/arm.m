% A robot arm of two rigid links that hangs from a wall, with a motor, springs and dampers.
%
%   tendril run arm.m          equilibrium, natural frequencies and motion
%   tendril view arm.m         the arm live in a browser, while you edit this file
%   tendril sim arm.m --set torque=1.5
%
% z points up, lengths are in m, masses in kg, angles in rad.

% ---- numbers that may be changed without editing: --set m1=2 ---------------------------------
l1 = 0.4;                              % lengths of the links [m]
l2 = 0.3;
m1 = param('m1', 1.0, [0.1 10]);       % masses [kg], with the range that is allowed
m2 = param('m2', 0.5, [0.1 10]);
torque = input('torque', 0);           % of the motor at the shoulder [N m]

world.g = [0 0 -9.81];

% ---- upper link: body 1, joint 1 to the ground (body 0) --------------------------------------
body(1).name = 'upper';
body(1).m = m1;
body(1).I = m1*l1^2/12*diag([1 1 0.01]);   % about its centre of mass [kg m^2]
body(1).l_com = [0 0 -l1/2];               % centre of mass, seen from the joint [m]

joint(1).name = 'shoulder';
joint(1).second = 1;                       % joint(1).first is 0, the ground
joint(1).type = 'revolute';
joint(1).axis = [0 1 0];
joint(1).dof(1).init = deg2rad(40);        % where the motion starts
joint(1).dof(1).damp.visc = 0.05;          % friction [N m s/rad]
joint(1).dof(1).input = torque;

% ---- lower link: body 2, joint 2 at the end of body 1 ----------------------------------------
body(2).name = 'lower';
body(2).m = m2;
body(2).I = m2*l2^2/12*diag([1 1 0.01]);
body(2).l_com = [0 0 -l2/2];

joint(2).name = 'elbow';
joint(2).first = 1;
joint(2).second = 2;
joint(2).tr(1).trans = [0 0 -l1];          % from the origin of body 1 to the elbow
joint(2).type = 'revolute';
joint(2).axis = [0 1 0];
joint(2).dof(1).spring.coeff = 0.5;        % a spring that straightens the elbow [N m/rad]
joint(2).dof(1).damp.visc = 0.02;

% ---- what is measured: columns of trajectory.csv ---------------------------------------------
sensor(1).name = 'hand';
sensor(1).value = pos(body(2), [0 0 -l2]);

% ---- what `tendril run` does -----------------------------------------------------------------
par.t_final = 5;                           % [s]
par.dt_out = 0.02;
