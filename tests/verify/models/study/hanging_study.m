%% Weights that hang on springs in a row, kept as a member of a lab would keep it
% last change: long ago
clear all; close all; clc;	% start afresh
warning off all
format long g
addpath(genpath(pwd)); addpath('./code', 'tools')
global par results
rng(1);

%{
  An old study, kept for later:
  body(7).m = 3;
  %{
     nested
  %}
  joint(9).second = 7;
%}

%% numbers
par = struct('name', 'chain', 'version', 6.2, 'list', {{'a', 'b'}});
par.nd	= 3;
par.dims = [ 0.05, ...  length of a link
	0.01 ];	% radius
par.load  = @(x) 0.1*x.^2 + 0.05 ;
par.table = { 'srl', 1 ; 'ebr', 2 };
par.user.note = "kept";
if ~isfield(par, 'extra') || isempty(par.extra), par.extra = []; end
l = par.dims(1); r = par.dims(end);
names = {'x','y','z'};
for ii=1:numel(names), fprintf('%s %d\n', names{ii}, ii); end
disp(['links: ' num2str(par.nd)]);
switch par.table{1,1}
	case {'srl','SRL'}
		axis_no = 2;
	otherwise
		axis_no = 1;
end
k_b = 0; while k_b < 20, k_b = k_b + 10; end
K = diag([1 2 3])*k_b ; Kv = cell2mat({K(2,2)/2});

%% symbols
syms k_s c_s g_z ...
     f_tip
par.sym = [k_s c_s g_z f_tip]; par.var = [Kv 1e-4 -9.81 par.load(1)];
assume(k_s, 'real');

%% world
world.g = [0, 0, g_z];

%% bodies
numbers_of_study	% a script beside this file
body(1).m = m; body(1).I = m/12*diag([3*r^2+l^2, 3*r^2+l^2, 6*r^2]);
body(1).l_com = [0 0 -l/2]; body(1).tip = [0 0 -l];

%% joints
joint(1).first  = [1 0:par.nd-1];	joint(1).second = [1 1:par.nd];
joint(1).tr(1).trans = [0 0 -l]; joint(1).tr(1).rot = [0 0];
joint(1).tr(2).trans = [0 0 inf];
joint(1).dof(1).init = zeros(par.nd,1);
joint(1).dof(1).spring.coeff = k_s; joint(1).dof(1).spring.init = 0;
joint(1).dof(1).damp.visc = c_s; joint(1).dof(1).damp.pow = 1;
mesh = [];
exload(1).exbody = [1 par.nd]; exload(1).tr(1).trans = [0 0 -l];
exload(1).ftau = [0 0 f_tip 0 0 0];

%% run
par.derive = 0; par.opv = true; par.derive_collect = 1; par.derive_mex = 0; par.anim = 0; par.movie = 0;
par.equil = 1; par.modal = 1; par.dyn = 1; par.n_int = 100; par.n_animpoints = 50; par.n_datasample = 50; par.t_rep = .5;
par.t_init = 0; par.t_final = 0.2;
tic;
[par, world, body, joint, exload] = check(par, world, body, joint, exload, mesh);
if par.derive || ~exist('eom/EOM.mexa64','file')
	tmt_eom_derive(par, world, body, joint, exload, mesh);
end
[q0, par] = equil(par);
results.t_equil = toc; 
[t, z] = ode15s(@(t,z) EOM(t, z, par), [0 1], [q0; zeros(size(q0))], odeset('RelTol',1e-3));
figure('Name','tip'); clf; hold on; grid on; box on
subplot(2,1,1); plot(t, z(:,1), 'r--', 'LineWidth', 2); xlabel('t [s]'); ylabel('q_1'); title({'a','b'});
legend('one', 'two', 'Location', 'best'); set(gca, 'FontSize', 12); axis equal; view(3); xlim([0 1]); drawnow
for i = 1 : length(t)
	if mod(i,10)==0, plot3(z(i,1), z(i,2), 0, '.'); end
end
print('-dpng', 'tip.png'); saveas(gcf, 'tip.fig');
save('results.mat', '-v7.3', 'results'); save results par
results = post_proc(par, t, z);
keyboard

function out = helper(in)
	% an old helper
	out = in(1:end-1)';
end
function drawit(t), plot(t); end
