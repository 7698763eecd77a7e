% pendulum on a cart with PD law on a constraint, symbolic time
syms t real
syms kp kd
par.sym = [kp kd]; par.var = [100 20];
body(1).m = 1; body(1).I = 1e-3*eye(3);
body(2).m = 0.3; body(2).I = diag([1 1 1])*1e-3; body(2).l_com = [0 0 -0.3]; body(2).tip = [0 0 -0.6];
joint(1).first = [0 0]; joint(1).second = [1 1]; joint(1).tr.trans = [inf 0 0];
joint(2).first = [1 1]; joint(2).second = [2 1]; joint(2).tr.rot = [2 inf];
joint(2).dof.init = 0.1;
joint(2).dof.damp.visc = 0.01;
joint(1).dof.input = 0.5*sin(2*pi*t);
exload(1).exbody = [2 1]; exload(1).tr.trans = [0 0 -0.6]; exload(1).ftau = [0.1*cos(t) 0 0 0 0 0]; exload(1).refbody = [2 1];
world.g = [0 0 -9.81];
par.equil = 0; par.dyn = 1; par.modal = 1; par.t_final = .5;
