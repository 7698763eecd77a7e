% A rigid body on a ball joint: the heavy top, or with com = 0 the torque-free body.  The start sets its velocity.
world.g = [0 0 param('g', -9.81)];
J = [param('J1', 0.234375) param('J2', 0.46875) param('J3', 0.234375)];
body(1).m = 15;
body(1).I = diag(J);
body(1).l_com = [0 param('com', 1) 0];
joint(1).second = 1;
joint(1).type = 'spherical';
sensor(1).name = 'com';   sensor(1).value = pos(body(1), [0 param('com', 1) 0]);
sensor(2).name = 'quat';  sensor(2).value = quat(body(1));
sensor(3).name = 'omega'; sensor(3).value = omega(body(1));
sensor(4).name = 'L';     sensor(4).value = (rot(body(1))*(diag(J)*omega(body(1))'))';
