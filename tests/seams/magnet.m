% A compass needle and a magnetic rod of segments in a field that turns with time, and a magnet that a number of the state turns.
world.g = [0 0 -9.81]; B = param('B', 0.02); k = param('k', 2);
body(1).m = 0.1; body(1).I = 1e-3*diag([1 2 2.5]); joint(1).second = 1; joint(1).type = 'spherical'; joint(1).dof(2).rate = 1;
magnet(1).on = body(1); magnet(1).moment = [k 0 0.5]; magnet(1).field = [0.01 0.02 -0.01];
rod(1).model = 'srl'; rod(1).n = 3; rod(1).length = 0.2; rod(1).radius = 5e-3; rod(1).E = 1e6; rod(1).rho = 2000; rod(1).eta = 1e3;
magnet(2).on = rod(1); magnet(2).moment = [0 0 5 + 10*s]; magnet(2).field = B*[cos(3*t) sin(3*t) 0];
magnet(3).on = at(rod(1), 0.15); magnet(3).moment = [0.2 0 0]; magnet(3).field = [0 0 0.1*dof(joint(1), 1)];
sensor(1).name = 'y'; sensor(1).value = [quat(body(1)) pos(rod(1)) rot(rod(1))(1, :) energy];
par.t_final = 0.1;
