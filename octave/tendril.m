% TENDRIL  Models of rigid and soft robots from Octave.  The work is done by tendril.mex (make octave).
%
%   h = tendril('load', 'arm.m', 'm', 2)      a robot, with another value for its param m; free with tendril('free', h)
%   n = tendril('names', h)                   names of q, v, inputs, sensors, params
%   s = tendril('state', h)                   the initial state: t, q, v, u
%   tendril('set_param', h, 'm', 3)
%   e = tendril('evaluate', h, s)             M, h, tau, vdot, lambda, Jc, dFdq, dFdv, B
%   y = tendril('sensors', h, s)
%   s = tendril('equilibrium', h, s)          with stable and residual
%   m = tendril('modes', h, s)                frequency [Hz], damping, shape, re, im
%   l = tendril('linearize', h, s)            A, B, C, D, basis, inverse
%   [K, X] = tendril('lqr', A, B, Q, R);      [L, P] = tendril('kalman', A, C, W, V)
%   r = tendril('simulate', h, s, struct('t_final', 2))      t, q, v, sensors by rows; trust, reasons; options:
%                                             t_final, dt_out, rtol, atol, solver, step, save (a directory for its files)
%   g = tendril('gradient', h, s, {'m', 'L'})      at the equilibrium s: sensors, q, energy, one column for each param or input
%   g = tendril('modes_gradient', h, s, {'m'})     frequency [Hz], damping
%   g = tendril('simulate_gradient', h, [], {'m'}, struct('t_final', 2))     t, sensors by rows, gradient (row, sensor, param);
%                                             options also start: 'initial' (for []), 'given', 'equilibrium'
%   tendril('start', h, s);  s = tendril('step', h, t, u)    step by step with inputs held
%
% States are structs; fields left out are those of the initial state.  Where tasks or controllers remember something, a
% state has it as `memory`: a run goes on from there as if it had not been interrupted.
error('tendril.mex is missing: run "make octave" in the checkout');
