% A soft arm balances a rigid pendulum on its tip.
%
% A silicone rod stands upright, clamped at its base, and bends in a plane.  A hinge without friction at its tip carries a
% stick that would fall.  The only input is a couple that bends the whole arm (pneumatic muscles along it would give it).  The
% gains are those of
%
%   echo '{"outputs": {"lean": 10, "tip_x": 40}, "inputs": {"M": 300}}' > w.json
%   tendril lqr models/soft_balance.m --weights w.json
%
% for the upright position, and run at 500 Hz.
%
% Expect: without control (--set gain=0) the stick falls within a second.  With it the stick is upright again after being released
% 6 degrees off, and after a push of 0.02 N for 0.1 s at its end at t = 4 s; the tip of the arm moves by at most 5 cm on the way.

lean = deg2rad(param('lean', 6));
gain = param('gain', 1);
M = input('M', 0);
push = 0.02*(step(t, 4) - step(t, 4.1));

world.g = [0 0 -9.81];

rod(1).name = 'arm';
rod(1).length = 0.2;  rod(1).radius = 0.012;
rod(1).E = 1.2e6;  rod(1).rho = 1100;  rod(1).eta = 3e3;
rod(1).modes = [0 0 0 0 1 0];                        % bends about y
rod(1).model = 'ebr';  rod(1).n = 3;
rod(1).input = [0 0 0 0 M 0];

l = 0.3;  m = 0.03;                                  % stick
body(1).name = 'stick';
body(1).m = m;  body(1).I = m*l^2/12*diag([1 1 0.001]);  body(1).l_com = [0 0 l/2];
joint(1).first = at(rod(1), 0.2);  joint(1).second = 1;
joint(1).tr(1).rot = [2 inf];
joint(1).dof(1).init = lean;
exload(1).exbody = 1;  exload(1).tr(1).trans = [0 0 l];  exload(1).ftau = [push 0 0 0 0 0];

end_of_stick = pos(body(1), [0 0 l]);  tip = pos(rod(1), 0.2);
sensor(1).name = 'lean';   sensor(1).value = (end_of_stick(1) - tip(1))/l;
sensor(2).name = 'tip_x';  sensor(2).value = tip(1);

K = [-0.539007 -0.714489 -0.671101 -0.599347 -0.0681577 -0.107148 -0.0936141 -0.0778505];
state = [q(1) q(2) q(3) q(4) v(1) v(2) v(3) v(4)];   % stick, arm from base to tip
control(1).inputs = 'M';
control(1).law = -gain*(K*state');
control(1).limits = [-0.3 0.3];
par.control.rate = 500;
par.t_final = 8;
