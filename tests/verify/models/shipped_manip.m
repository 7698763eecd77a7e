function Manip
% MANIP  STIFF-FLOP appendage with ROM, SRL, EBR and EBA models, written with the habits of research files: globals,
% nested structures, names built from strings, data files that may be missing, plots, several studies in one loop.
%
%   See also TMT_EOM_DERIVE, EQUIL, DYN_SIM

clc; clear all; close all force; format long g; more off
warning( 'off' , 'all' ); warning off MATLAB:nearlySingularMatrix
global par
dbstop if error
restoredir = pwd;
cd( fileparts( mfilename( 'fullpath' ) ) );
addpath( genpath( fullfile( pwd , '..' , 'package' ) ) , '-begin' );
t_start = tic; disp( [ 'started ' datestr( now , 'HH:MM:SS' ) ] );

%% ------------------------------------------------------------------ control
par.anim = false; par.movie = false; par.derive = 0; par.derive_collect = 1; par.derive_mex = ispc;
par.equil = 1; par.dyn = 1; par.modal = [];
par.n_int = 100; par.t_rep = .5; par.opv = true;
if ~isfield( par , 'modal' ) || isempty( par.modal ), par.modal = 0; end
if ~exist( 'code' , 'dir' )
    mkdir code
end
if ~exist( [ 'code' filesep 'EOM.m' ] , 'file' ), par.derive = 1; end   % derive when there is nothing yet

%% ------------------------------------------------------------------ experiment
exp_no = { 'noload' , 'load1' , 'load2' }; par.exp.name = strcat( 'exp_' , exp_no{ 1 } , '.mat' );
par.exp.title = [ 'Experiment ' , num2str( 1 ) , ': ' , strrep( par.exp.name , '_' , ' ' ) ];
fprintf( 1 , '%s (%d of %d)\n' , par.exp.title , 1 , numel( exp_no ) );
try
    data = load( par.exp.name );
    par.exp.t = data.t; par.exp.p = data.p; par.exp.tip = data.tip( : , 1:3 );
catch err
    disp( err.message );
    fprintf( 'no data: %s\n' , par.exp.name );
end
opts = odeset( 'RelTol' , 1e-3 , 'AbsTol' , 1e-6 , 'OutputFcn' , @odeplot , ...
               'Stats' , 'on' );                               % default tolerances
fopts = optimoptions( 'fsolve' , 'Algorithm' , 'levenberg-marquardt' , 'Display' , 'iter' );

%% ------------------------------------------------------------------ parameters
methods = { 'ROM' 'SRL' 'EBR' 'EBA' };
study = param( 'method' , 4 );
n_list = [ 3 3 3 3 ];
syms sigma E r_s1 r_s2 l_s real
syms mu_x mu_y mu_z mu_xx mu_yy mu_zz mu_pow ...
     g_x g_y g_z m_f l_f r_f ...
     r_p1 r_o gamma
p = sym( 'p' , [ 1 6 ] );
syms f_tx f_ty f_tz tau_tx tau_ty tau_tz lambda
par.sym = [ sigma E r_s1 r_s2 l_s mu_x mu_y mu_z mu_xx mu_yy mu_zz mu_pow g_x g_y g_z m_f l_f r_f r_p1 r_o gamma p ...
            f_tx f_ty f_tz tau_tx tau_ty tau_tz lambda ];

S = struct( 'l_s' , 50e-3 , 'r_s1' , 4.5e-3 , 'r_s2' , 12.5e-3 , 'r_p1' , 2.5e-3 , 'r_p2' , 3e-3 , 'r_t' , .2e-3 , 'r_o' , 8.5e-3 );
S.gamma = pi/2 - acos( 1 - S.r_t^2/2/S.r_p2^2 ); S.phi_o = acos( 1 - S.r_p2^2/2/S.r_o^2 );
S.mat.sigma = 1.4*1300; S.mat.E = 205e3; S.sensor.m = 13.47e-3; S.sensor.l = 14.5e-3; S.sensor.r = 7.5e-3;
mu.ROM = [ 1e-1 1e-5 ]; mu.SRL = mu.ROM; mu.EBR = [ 1e2 5e-1 ]; mu.EBA = [ 1e2 1e-2 ];
deg = @( a ) a*pi/180; ring = @( r , a ) r*[ cos( a(:) ) , sin( a(:) ) , zeros( numel( a ) , 1 ) ];
ang = [ deg( 90 )+S.phi_o deg( 90 )-S.phi_o deg( -30 )+S.phi_o deg( -30 )-S.phi_o deg( 210 )+S.phi_o deg( 210 )-S.phi_o ];
r_od = ring( 1 , ang );

%% ------------------------------------------------------------------ studies
for i_m = 1:study                                              % all methods up to the chosen one
    clear body joint mesh exload
    par.method = methods{ i_m }; n = n_list( i_m ); par.n = n;
    par.fname = sprintf( '%s_n%d_%s' , lower( par.method ) , n , par.exp.name );
    m_now = mu.( par.method );
    par.var = [ S.mat.sigma S.mat.E S.r_s1 S.r_s2 S.l_s m_now( 1 )*ones( 1 , 3 ) m_now( 2 )*ones( 1 , 3 ) 2 0 0 9.81 ...
                S.sensor.m S.sensor.l S.sensor.r S.r_p1 S.r_o S.gamma repmat( 1e4 , 1 , 6 ) zeros( 1 , 6 ) 1 ];

    % cross-section with the mean stretch lambda
    m_s = pi*( r_s2^2 - r_s1^2 - 6*r_p1^2 )*l_s*sigma;
    r_ov = r_o*r_od/sqrt( lambda ); r_p = r_p1*sqrt( 1 - lambda^2*cos( gamma )^2 )/sin( gamma ); a_p = pi*r_p^2;
    a_aw = pi*( ( r_s2^2 - r_s1^2 )/lambda - 6*r_p^2 );
    I_aw = [ 1 1 2 ]*pi/4*( ( r_s2^4 - r_s1^4 )/lambda^2 - 6*r_p^4 ) - a_p*diag( r_ov'*r_ov )';
    G = E/3; K_v = diag( [ G G E ] )*a_aw/lambda; K_u = diag( [ E E G ].*I_aw )/lambda;
    f_p = [ 0 , 0 , sum( p )*a_p ]; tau_p = [ p*r_ov( : , 2 ) , -p*r_ov( : , 1 ) , 0 ]*a_p;
    mu_all = [ mu_x mu_y mu_z , mu_xx mu_yy mu_zz ]; K_all = [ diag( K_v )' , diag( K_u )' ]; f_all = [ f_p , tau_p ];

    world.g = [ g_x , g_y , g_z ];
    isrom = strcmpi( par.method , 'rom' ); isrel = ismember( par.method , { 'SRL' , 'EBR' } );
    l_ss = l_s/n; rr = r_s2^2 + r_s1^2;
    if isrom
        body( 1 ).m = m_s/l_s;
        body( 1 ).I = sigma*pi*( r_s2^2 - r_s1^2 )*diag( [ rr/4 rr/4 rr/2 ]/lambda );
        joint( 1 ).second = [ 1 ; S.l_s ];
        joint( 1 ).rom.order = n;
        joint( 1 ).tr.trans = inf( 1 , 3 ); joint( 1 ).tr.rot = [ 0 inf( 1 , 3 ) ];
        joint( 1 ).dof( 3 ).init = linspace( S.l_s/n , S.l_s , n );
        joint( 1 ).spring.coeff = K_all; joint( 1 ).damp.visc = mu_all; joint( 1 ).damp.pow = mu_pow; joint( 1 ).input = f_all;
    else
        body( 1 ).m = m_s/n; body( 1 ).tip = [ 0 0 l_ss ];
        body( 1 ).I = sigma*pi*( r_s2^2 - r_s1^2 )*l_ss*diag( [ ( 3*rr/lambda + ( l_ss*lambda )^2 )/12*[ 1 1 ] rr/2/lambda ] );
        joint( 1 ).second = [ 1 ; ( 1:n )' ];
    end
    if isrel
        joint( 1 ).first = [ 1 ; ( 0:n-1 )' ];
        joint( 1 ).tr( 1 ).trans = [ 0 0 l_ss ]; joint( 1 ).tr( 2 ).trans = [ inf inf inf ];
        switch par.method
            case 'SRL'
                ax = [ 3 1 2 ]; order = [ 1:3 6 4 5 ];
                for k = 1:3, joint( 1 ).tr( 1+k ).rot = [ ax( k ) inf ]; end
            otherwise
                joint( 1 ).tr( 2 ).rot = [ inf inf inf ]; order = 1:6;
        end
        d = 0;
        while d < 6
            d = d + 1;
            joint( 1 ).dof( d ) = struct( 'spring' , struct( 'coeff' , K_all( order( d ) )/l_ss ) , ...
                'damp' , struct( 'visc' , mu_all( order( d ) ) , 'pow' , mu_pow ) , 'input' , f_all( order( d ) ) );
        end
    elseif ~isrom
        joint( 1 ).tr.trans = [ inf inf inf ]; joint( 1 ).tr.rot = [ 0 inf inf inf ];
        joint( 1 ).dof( 3 ).init = cumsum( ones( n , 1 ) )*S.l_s/n;
        joint( 2 ).first = [ 1 ; ( 0:n-1 )' ]; joint( 2 ).second = [ 1 ; ( 1:n )' ];
        joint( 2 ).spring.coeff = K_all/l_ss; joint( 2 ).spring.init = [ 0 0 nan 0 0 0 ];
        joint( 2 ).damp.visc = mu_all; joint( 2 ).damp.pow = mu_pow; joint( 2 ).input = f_all;
    end

    % tip force sensor
    j = numel( joint ) + 1;
    body( end+1 ).m = m_f; body( end ).l_com = [ 0 0 l_f/2 ];
    body( end ).I = sensor_inertia( m_f , l_f , r_f ) + m_f*( l_f/2 )^2*diag( [ 1 1 0 ] );
    if isrom, joint( j ).first = [ 1 ; S.l_s ]; else, joint( j ).first = [ 1 ; n ]; end
    joint( j ).second = 2;
    mesh = [];
    exload( 1 ).exbody = 2; exload( 1 ).tr( 1 ).trans = [ 0 0 l_f ];
    exload( 1 ).ftau = [ f_tx f_ty f_tz tau_tx tau_ty tau_tz ];

    % default routines
    if par.derive || ~par.opv
        [ q , u , lam , par ] = tmt_eom_derive( par , world , body , joint , exload , mesh );
    end
    [ q0 , par ] = equil( par );
    if par.simdyn
        [ T , Z , par ] = dyn_sim( par , q0 , opts );
        err( i_m ) = mean( sqrt( sum( ( Z( : , 1:3 ) - par.exp.tip ).^2 , 2 ) ) );
        fprintf( '%s: %6.2f mm, %5.1f s\n' , par.method , 1e3*err( i_m ) , toc( t_start ) );
        figure( i_m ); clf; hold on; plot( T , Z( : , 3 ) , 'r-' , 'LineWidth' , 2 ); xlabel( 't [s]' ); grid on
        legend( { 'sim' , 'exp' } , 'Location' , 'best' ); set( gca , 'FontSize' , 14 ); print( '-depsc' , par.fname );
        saveas( gcf , [ par.fname '.png' ] ); drawnow
    end
    save( fullfile( 'code' , [ par.fname '.mat' ] ) );
end
post_proc( par );
fid = fopen( 'log.txt' , 'a' ); fprintf( fid , '%s\n' , par.fname ); fclose( fid );
cd( restoredir ); disp( 'done' ); toc( t_start )
clear all
end

% Inertia of a cylinder about its middle.
function I = sensor_inertia( m , l , r , varargin )
    global par
    if nargin < 3 || isempty( r ), error( 'sensor_inertia: no radius' ); end
    if isfield( par , 'no_sensor' ), m = 0; end
    I = diag( [ m*( 3*r^2 + l^2 )/12 , m*( 3*r^2 + l^2 )/12 , m*r^2/2 ] );
end
