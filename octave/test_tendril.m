% octave -p DIRECTORY_OF_TENDRIL_MEX test_tendril.m MODELS: closed forms and agreement of the verbs.
models = argv(){end};
h = tendril('load', [models '/pendulum.m'], 'm', 2);
n = tendril('names', h);
assert(n.sensors, {'tip_x'; 'tip_y'; 'tip_z'});
e = tendril('evaluate', h);
assert(e.M*e.vdot + e.h, e.tau, 1e-12);
rest = tendril('equilibrium', h);
assert(rest.stable && abs(rest.q) < 1e-9);
m = tendril('modes', h, rest);
assert(m.frequency, sqrt(1.5*9.81)/(2*pi), 1e-9);
assert(tendril('sensors', h, rest), [0; 0; -1], 1e-9);
r = tendril('simulate', h, tendril('state', h), struct('t_final', 0.5, 'dt_out', 0.1));
assert(size(r.sensors), [6 3]);
assert(r.trust, 'ok');
assert(isempty(r.reasons));
tendril('start', h);
for k = 1:5, s = tendril('step', h, 0.1*k); end
assert(s.q, r.q(end), 1e-7);
tendril('set_param', h, 'm', 4);
assert(tendril('evaluate', h).M, 2*e.M, 1e-12);
[K, X] = tendril('lqr', [0 1; 0 0], [0; 1], diag([1 2]), 1);
assert(X, [2 1; 1 2], 1e-12);
assert(K, [1 2], 1e-12);
L = tendril('kalman', [0 0; 1 0], [0 1], diag([1 2]), 1);
assert(L, [1; 2], 1e-12);
l = tendril('linearize', h, rest);
assert(l.A(2, 1), -1.5*9.81, 1e-9);
tendril('free', h);
% gradients: the closed forms of a spring and a mass, differences of a run, refusals by name
file = [tempname() '.m'];
fid = fopen(file, 'w');
fprintf(fid, ['world.g = [0 0 -9.81]; m = param(''m'', 2); k = param(''k'', 50); f = input(''f'', 1); body(1).m = m;\n' ...
              'joint(1).second = 1; joint(1).tr.trans = [0 0 inf]; joint(1).dof(1).spring.coeff = k;\n' ...
              'joint(1).dof(1).spring.init = 0; joint(1).dof(1).damp.visc = .5; joint(1).dof(1).input = f;\n' ...
              'sensor(1).name = ''z''; sensor(1).value = pos(body(1))(3);\n']);
fclose(fid);
h = tendril('load', file);
rest = tendril('equilibrium', h);
g = tendril('gradient', h, rest, {'m', 'k', 'f'});
assert(g.by, {'m'; 'k'; 'f'});
assert(g.sensors, [-9.81/50, (2*9.81 - 1)/50^2, 1/50], 1e-12);
assert(g.q, g.sensors, 1e-12);
g = tendril('modes_gradient', h, rest, {'m', 'k'});
frequency = sqrt(50/2)/(2*pi);
assert(g.frequency, frequency*[-1/4, 1/100], 1e-7);
o = struct('t_final', 0.7, 'dt_out', 0.1, 'rtol', 1e-10, 'atol', 1e-12);
g = tendril('simulate_gradient', h, [], {'m', 'k'}, o);
assert(size(g.gradient), [8 1 2]);
d = 1e-3;
tendril('set_param', h, 'k', 50 + d);  up = tendril('simulate', h, tendril('state', h), o);
tendril('set_param', h, 'k', 50 - d);  down = tendril('simulate', h, tendril('state', h), o);
tendril('set_param', h, 'k', 50);
assert(g.gradient(:, 1, 2), (up.sensors - down.sensors)/(2*d), 1e-7);
o.solver = 'fixed';  o.step = 0.01;  o.start = 'equilibrium';
g = tendril('simulate_gradient', h, rest, {'m', 'f'}, o);
assert(squeeze(g.gradient(end, 1, :)), [-9.81/50; 1/50], 1e-9);
try
  tendril('gradient', h, rest, {'mm'});
  error('not reached');
catch failure
  assert(! isempty(strfind(failure.message, "no parameter or input 'mm'")), failure.message);
end
try
  tendril('gradient', h, tendril('state', h), 'm');
  error('not reached');
catch failure
  assert(! isempty(strfind(failure.message, 'equilibrium')), failure.message);
end
tendril('free', h);
delete(file);
% models of tests/seams: steps of a plant end as a simulation
seams = {'billiard', 'strain_jump', 'joint_motion', 'knots', 'rods_touch', 'ellipse_rom', 'equal2_quaternion', ...
         'ball_joints', 'screw_loop', 'shared_strains', 'point_friction', 'gvs_elements', 'buckled', 'control_law', 'task'};
for k = 1:numel(seams)
  h = tendril('load', [models '/../tests/seams/' seams{k} '.m']);
  o = struct('rtol', 1e-9, 'atol', 1e-11);
  r = tendril('simulate', h, tendril('state', h), o);
  tendril('start', h, tendril('state', h), o);
  for i = 1:7, s = tendril('step', h, r.t(end)*i/7); end
  y = r.sensors(end, :)';
  assert(tendril('sensors', h, s), y, 1e-6*max(abs(y)));
  tendril('free', h);
end
% controllers go on with what they remember
for name = {'task', 'control_law'}
  h = tendril('load', [models '/../tests/seams/' name{1} '.m']);
  o = struct('rtol', 1e-9, 'atol', 1e-11);
  r = tendril('simulate', h, tendril('state', h), o);
  tendril('start', h, tendril('state', h), o);
  s = tendril('step', h, 0.117);
  tendril('start', h, s, o);
  s = tendril('step', h, r.t(end));
  assert(tendril('sensors', h, s), r.sensors(end, :)', 1e-8);
  tendril('free', h);
end
h = tendril('load', [models '/../tests/seams/folded.m']);
tendril('start', h);
try
  tendril('step', h, 0.1);
  error('not reached');
catch failure
  assert(! isempty(strfind(failure.message, 'segment 4 of whip is folded')), failure.message);
end
tendril('free', h);
try
  tendril('load', 'none.m');
  error('not reached');
catch failure
  assert(! isempty(strfind(failure.message, 'none.m')), failure.message);
end
try
  tendril('simulat', 1);
  error('not reached');
catch failure
  assert(! isempty(strfind(failure.message, "did you mean 'simulate'")), failure.message);
end
h = tendril('load', [models '/pendulum.m']);
try
  tendril('simulate', h, tendril('state', h), struct('t_finl', 1));
  error('not reached');
catch failure
  assert(! isempty(strfind(failure.message, 'did you mean t_final')), failure.message);
end
place = tempname();
r = tendril('simulate', h, tendril('state', h), struct('t_final', 0.5, 'dt_out', 0.1, 'solver', 'stiff', 'save', place));
written = dlmread(fullfile(place, 'trajectory.csv'), ',', 1, 0);
assert(written(:, 1), r.t, 0);
confirm_recursive_rmdir(false, 'local');
rmdir(place, 's');
tendril('free', h);
disp('octave: all passed');
