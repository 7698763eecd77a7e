function [par,res] = module_in_a_function(varargin)
% a module of beams with absolute states as one function: symbols over two lines, fields for each element, results that are plotted; without weight
clear; clc; close all
if nargin > 0, par = varargin{1}; end
par.anim=1;par.movie=0;par.derive=1;par.derive_collect=1;par.derive_mex=0;par.equil=1;par.modal=0;par.dyn=1;par.simdyn=1;
par.t_rep=0.5; par.n_int=100; par.n_animpoints=50; par.n_datasample=50; par.method=4; par.n=3; par.load=false;
syms sigma E r_s1 r_s2 l_s mu_x mu_y mu_z mu_xx mu_yy mu_zz mu_pow g_x g_y g_z m_f l_f r_f r_p1 r_o gamma ...
     p1 p2 p3 p4 p5 p6 f_tx f_ty f_tz tau_tx tau_ty tau_tz lambda real
par.sym=[sigma E r_s1 r_s2 l_s mu_x mu_y mu_z mu_xx mu_yy mu_zz mu_pow g_x g_y g_z m_f l_f r_f r_p1 r_o gamma p1 p2 p3 p4 p5 p6 f_tx f_ty f_tz tau_tx tau_ty tau_tz lambda];
ls=50e-3; gam=pi/2-acos(1-0.2e-3^2/2/3e-3^2); phi_o=acos(1-3e-3^2/2/8.5e-3^2);
pr=[2e4 1e4 0];
par.var=[1820 205e3 4.5e-3 12.5e-3 ls 1e2*ones(1,3) 1e-2*ones(1,3) 2 0 0 0 13.47e-3 14.5e-3 7.5e-3 2.5e-3 8.5e-3 gam pr([1 1 2 2 3 3]) zeros(1,6) 1];
ang=[pi/2+phi_o; pi/2-phi_o; -pi/6+phi_o; -pi/6-phi_o; 7*pi/6+phi_o; 7*pi/6-phi_o];
r_od=[cos(ang) sin(ang) zeros(6,1)];
p=[p1 p2 p3 p4 p5 p6];
n=par.n; l_ss=l_s/n;
m_s=pi*(r_s2^2-r_s1^2-6*r_p1^2)*l_s*sigma; r_ov=r_o*r_od/sqrt(lambda); r_p=r_p1*sqrt(1-lambda^2*cos(gamma)^2)/sin(gamma); a_p=pi*r_p^2;
a_aw=pi*((r_s2^2-r_s1^2)/lambda-6*r_p^2);
I_aw=[1 1 2]*pi/4*((r_s2^4-r_s1^4)/lambda^2-6*r_p^4)-a_p*diag(r_ov.'*r_ov).';
G=E/3;
K_v=diag([G G E])*a_aw/lambda/l_ss; K_u=diag([E E G].*I_aw)/lambda/l_ss;
m_ss=m_s/n; I_ss=sigma*pi*(r_s2^2-r_s1^2)*l_ss*diag([(3*(r_s2^2+r_s1^2)/lambda+(l_ss*lambda)^2)/12*[1 1] (r_s2^2+r_s1^2)/2/lambda]);
f_p=[0 0 sum(p)*a_p]; tau_p=[0 0 0];
for i=1:6; tau_p=tau_p+p(i)*a_p*[r_ov(i,2) -r_ov(i,1) 0]; end
world.g=[g_x g_y g_z];
body(1).m=m_ss*ones(n,1); body(1).I=repmat(I_ss,[1 1 n]); body(1).l_com=zeros(n,3);
joint(1).first=[]; joint(1).second=[1 1:n];
joint(1).tr(1).trans=[inf inf inf]; joint(1).tr(1).rot=[0 inf inf inf];
joint(1).dof(3).init=(1:n)'*ls/n;
joint(2).first=[1 0:n-1]; joint(2).second=[1 1:n];
joint(2).spring.coeff=[diag(K_v).' diag(K_u).']; joint(2).spring.init=[0 0 nan 0 0 0]; joint(2).spring.compr=1;
joint(2).damp.visc=[mu_x mu_y mu_z mu_xx mu_yy mu_zz]; joint(2).damp.pow=mu_pow; joint(2).input=[f_p tau_p];
body(2).m=m_f; body(2).I=diag([m_f*(3*r_f^2+l_f^2)/12*[1 1] m_f*r_f^2/2]); body(2).l_com=[0 0 l_f/2];
joint(3).first=[1 n]; joint(3).second=2;
exload(1).exbody=2; exload(1).refbody=[]; exload(1).tr(1).trans=[0 0 l_f]; exload(1).ftau=[f_tx f_ty f_tz tau_tx tau_ty tau_tz];
mesh=[];
if par.derive; par=tmt_eom_derive(par,world,body,joint,exload,mesh); end
par.tf=3;
if par.equil, [x0,par]=equil(par); else x0=par.q0; end
if par.simdyn
 for t0=0:par.t_rep:par.tf-par.t_rep
  [t,z,par]=dyn_sim([t0 t0+par.t_rep],x0,par); x0=z(end,:);
 end
 res.t=t; res.z=z;
end
plot(t,z(:,3)*1e3,'LineWidth',2); xlabel('t [s]'); legend({'z'}); set(gca,'FontSize',12)
save(['results_' num2str(par.method) '_' num2str(n) '.mat'])
end
