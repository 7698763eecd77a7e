% A pneumatic module in four models, written as files of the published package are: own data in par, symbols
% over several lines, calls of the package's programs, the power of the EBR damping in the wrong place.
clc
clear all
close all
warning off
addpath( genpath( pwd ) )

%% control
par.movie = 0; par.anim = 0;
par.derive = 0; par.derive_collect = 1; par.derive_mex = 1;
par.opv = true;
par.equil = 1; par.dyn = 1; par.modal = [];
par.t_rep = 0.5; par.n_int = 100;
par.n_animpoints = 50; par.n_datasample = 50;

%% experiment
par.exp.case = 'noload';
par.method = param('method', 4);  % 1: rom, 2: srl, 3: ebr, 4: eba
par.n = 3;
par.exp.p = [0 0 0];
par = exp( par );
load( 'exp_data.mat' );

syms sigma E r_s1 r_s2 l_s mu_x mu_y mu_z ...
    mu_xx mu_yy mu_zz mu_pow g_x g_y g_z ...  % gravity
    m_f l_f r_f r_p1 r_o gamma
syms p1 p2 p3 p4 p5 p6 f_tx f_ty f_tz tau_tx tau_ty tau_tz lambda real
par.sym = [ sigma E r_s1 r_s2 l_s mu_x mu_y mu_z mu_xx mu_yy mu_zz mu_pow g_x g_y g_z m_f l_f r_f r_p1 r_o gamma ...
  p1 p2 p3 p4 p5 p6 f_tx f_ty f_tz tau_tx tau_ty tau_tz lambda ];
par.r_p2 = 3e-3; par.r_t = .2e-3;
par.gamma = pi/2 - acos( 1 - par.r_t^2/2/par.r_p2^2 );
mu = [ 1e-1 1e-5 ; 1e-1 1e-5 ; 1e2 5e-1 ; 1e2 1e-2 ];
par.var = [ 1820 205e3 4.5e-3 12.5e-3 50e-3 mu(par.method,1)*[1 1 1] mu(par.method,2)*[1 1 1] 2 0 0 9.81 ...
  13.47e-3 14.5e-3 7.5e-3 2.5e-3 8.5e-3 par.gamma 1e4*ones(1,6) 0 0 0 0 0 0 1 ];
phi_o = acos( 1 - par.r_p2^2/2/8.5e-3^2 );
ang = [ pi/2+phi_o pi/2-phi_o -pi/6+phi_o -pi/6-phi_o 7*pi/6+phi_o 7*pi/6-phi_o ];
r_od = [ cos(ang)' sin(ang)' zeros(6,1) ];

m_s = pi*( r_s2^2 - r_s1^2 - 6*r_p1^2 )*l_s*sigma;
r_ov = r_o*r_od/sqrt(lambda);
r_p = r_p1*sqrt( 1 - lambda^2*cos(gamma)^2 )/sin(gamma);
a_p = pi*r_p^2;
a_aw = pi*( ( r_s2^2 - r_s1^2 )/lambda - 6*r_p^2 );
I_aw = [1 1 2]*pi/4*( ( r_s2^4 - r_s1^4 )/lambda^2 - 6*r_p^4 ) - a_p*diag( r_ov'*r_ov )';
G = E/3;
p = [ p1 p2 p3 p4 p5 p6 ];
f_p = [ 0 0 sum(p)*a_p ];
tau_p = [ p*r_ov(:,2) , -p*r_ov(:,1) , 0 ]*a_p;
I_f = diag([ m_f*(3*r_f^2+l_f^2)/12*[1 1] m_f*r_f^2/2 ]) + m_f*(l_f/2)^2*diag([1 1 0]);

world.g = [ g_x g_y g_z ];
n = par.n; l_ss = l_s/n; m_ss = m_s/n;
Is = sigma*pi*( r_s2^2 - r_s1^2 )*l_ss*diag([ ( 3*( r_s2^2 + r_s1^2 )/lambda + ( l_ss*lambda )^2 )/12*[1 1] ( r_s2^2 + r_s1^2 )/2/lambda ]);
K = [ [G G E]*a_aw/lambda [E E G].*I_aw/lambda ];
switch par.method
    case 1
        body(1).m = m_s/l_s;
        body(1).I = sigma*pi*( r_s2^2 - r_s1^2 )*diag([ ( r_s2^2 + r_s1^2 )/4/lambda*[1 1] ( r_s2^2 + r_s1^2 )/2/lambda ]);
        joint(1).second = [ 1 50e-3 ]';
        joint(1).rom.order = n;
        joint(1).tr.trans = [ inf inf inf ];
        joint(1).tr.rot = [ 0 inf inf inf ];
        joint(1).dof(3).init = ( 1:n )*50e-3/n;
        joint(1).spring.coeff = K;
        joint(1).damp.visc = [ mu_x mu_y mu_z mu_xx mu_yy mu_zz ];
        joint(1).damp.pow = mu_pow;
        joint(1).input = [ f_p tau_p ];
        j = 2;
        joint(2).first = [ 1 50e-3 ]';
    case { 2 , 3 }
        body(1).m = m_ss; body(1).I = Is; body(1).tip = [ 0 0 l_ss ];
        joint(1).first = [ 1 (0:n-1) ]'; joint(1).second = [ 1 (1:n) ]';
        joint(1).tr(1).trans = [ 0 0 l_ss ];
        joint(1).tr(2).trans = [ inf inf inf ];
        if par.method == 2
            joint(1).tr(2).rot = [ 3 inf ]; joint(1).tr(3).rot = [ 1 inf ]; joint(1).tr(4).rot = [ 2 inf ];
        else
            joint(1).tr(2).rot = [ inf inf inf ];
        end
        Kd = K/l_ss; u = [ f_p tau_p ]; v = [ mu_x mu_y mu_z mu_xx mu_yy mu_zz ];
        for i = 1:6
            joint(1).dof(i).spring.coeff = Kd(i);
            joint(1).dof(i).damp.visc = v(i);
            joint(1).dof(i).input = u(i);
            if par.method == 2, joint(1).dof(i).damp.pow = mu_pow; else, joint(1).damp.pow = mu_pow; end
        end
        joint(2).first = [ 1 n ]'; j = 2;
    case 4
        body(1).m = m_ss; body(1).I = Is; body(1).tip = [ 0 0 l_ss ];
        joint(1).second = [ 1 (1:n) ]';
        joint(1).tr.trans = [ inf inf inf ];
        joint(1).tr.rot = [ 0 inf inf inf ];
        joint(1).dof(3).init = ( 1:n )'*50e-3/n;
        joint(2).first = [ 1 (0:n-1) ]'; joint(2).second = [ 1 (1:n) ]';
        joint(2).spring.coeff = K/l_ss;
        joint(2).spring.init = [ 0 0 nan 0 0 0 ];
        joint(2).damp.visc = [ mu_x mu_y mu_z mu_xx mu_yy mu_zz ];
        joint(2).damp.pow = mu_pow;
        joint(2).input = [ f_p tau_p ];
        joint(3).first = [ 1 n ]'; j = 3;
end
body(2).m = m_f; body(2).I = I_f; body(2).l_com = [ 0 0 l_f/2 ];
joint(j).second = 2;
mesh = [];
exload(1).exbody = 2;
exload(1).ftau = [ f_tx f_ty f_tz tau_tx tau_ty tau_tz ];
exload(1).tr(1).trans = [ 0 0 l_f ];

%% default routines
if par.derive
    tmt_eom_derive( par , world , body , joint , exload , mesh );
end
if par.equil
    [ q_eq , res ] = equil( par );
else
    q_eq = [];
end
if par.simdyn
    for it = 1:numel( par.exp.t )
        [ t_s , z_s ] = dyn_sim( par , q_eq );
        z( it , : ) = z_s( end , : );
        fprintf( '%g\n' , t_s );
    end
end
if par.movie, vid = VideoWriter( 'a.avi' ); open( vid ); end
par = post_proc( par , q_eq , z );
save( 'code/results.mat' );
save code/results.mat par
disp( 'done' )
