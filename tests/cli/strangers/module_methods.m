%% STIFF-FLOP like module, one file for all modelling methods
% version 6, with comments of its author
clear all, close all; clc
addpath(genpath('../code'));
addpath ../mesh
global par

%{
   methods: 1 ROM, 2 SRL
            3 EBR, 4 EBA
%}
method_list = {'ROM','SRL','EBR','EBA'};
method      = 2;              % <--- change here
if exist('method_ext','var') && ~isempty(method_ext)
    method = method_ext;
end
n_seg = 3; nr = 2;
par.name = [ 'Manip_' method_list{method} '_n' num2str(n_seg) ];
par.save_name = sprintf('%s_%s.mat', par.name, datestr(now,'yyyymmdd'));
par.derive   = 1; par.opv = true;
par.derive_collect = 1; par.derive_mex = 0;
par.anim = 0; par.movie = 0; par.equil = 1; par.dyn = 1; par.modal = 0;
par.t_rep = 0.5; par.n_int = 20; par.n_animpoints = 50; par.n_datasample = 50;
par.t_final = 0.05;

%% geometry [m]
l_s  = 50e-3;  r_s1 = 4.5e-3;  r_s2 = 12.5e-3;
r_p1 = 2.5e-3; r_o = 8.5e-3;
ang  = deg2rad([ 90, ...      % first chamber
                -30, ...      % second
                210 ]);       % third
r_od = [cos(ang)' sin(ang)' zeros(3,1)];
E_s = 205e3; G_s = E_s/3; sigma_s = 1820;
a_p = pi*r_p1^2;
a_aw = pi*(r_s2^2 - r_s1^2 - 3*r_p1^2);
I_aw = [1 1 2].*(pi/4*(r_s2^4 - r_s1^4));
m_s = a_aw*l_s*sigma_s;

syms p1 p2 p3 f_x f_y f_z real
par.sym = [p1 p2 p3 f_x f_y f_z];
par.var = [ 2e4 1e4 0 0 0 0 ];
p = [p1 p2 p3];
f_p = sum(p)*a_p;
tau_p = [0 0 0];
for ii = 1 : numel(p)
    tau_p = tau_p + p(ii)*a_p*r_o*[ r_od(ii,2) -r_od(ii,1) 0 ];
end

world.g = [0 0 0];

l_ss = l_s/n_seg; m_ss = m_s/n_seg;
K_v = [G_s G_s E_s]*a_aw/l_ss;
K_u = [E_s E_s G_s].*I_aw/l_ss;
I_ss = m_ss*diag([ (3*(r_s2^2+r_s1^2)+l_ss^2)/12*[1 1], (r_s2^2+r_s1^2)/2 ]);

switch method_list{method}
  case {'SRL'}
    body(1).m = m_ss; body(1).I = I_ss; body(1).l_com = [0 0 0]; body(1).tip = [0 0 l_ss];
    joint(1).first  = [1 0:n_seg-1];
    joint(1).second = [1 1:n_seg];
    joint(1).tr(1).trans = [inf inf inf];
    joint(1).tr(2).rot = [3 inf];
    joint(1).tr(3).rot = [1 inf];
    joint(1).tr(4).rot = [2 inf];
    k_all = [K_v K_u([3 1 2])];
    in_all = [0 0 f_p tau_p([3 1 2])];
    for id = 1:6
        joint(1).dof(id).spring.coeff = k_all(id);
        joint(1).dof(id).spring.init  = (id==3)*l_ss;
        joint(1).dof(id).init = (id==3)*l_ss;
        joint(1).dof(id).damp.visc = 1e-1*(id<=3) + 1e-5*(id>3);
        joint(1).dof(id).damp.pow = 2;
        joint(1).dof(id).input = in_all(id);
    end
  case {'EBR','EBA'}
    error('not in this file: %s', method_list{method});
  otherwise
    disp('rom');
end

exload(1).exbody = [1 n_seg];
exload(1).ftau = [f_x f_y f_z 0 0 0];

%% run
[par, body, joint] = tmt_eom_derive(par, world, body, joint, exload);
if par.equil
    [qf, zf] = equil(par);
    r_tip = zf(end-2:end);
    fprintf('tip: %6.3f %6.3f %6.3f\n', r_tip);
end
if par.simdyn, z = dyn_sim(par); save(par.save_name,'z'); end
figure(1); clf; hold on; grid on; axis equal
plot3(zf(:,1), zf(:,2), zf(:,3), 'k-', 'LineWidth', 2)
xlabel('x [m]'), ylabel('y [m]')
set(gca,'FontSize',14)
