%% Fabric sleeve on a pendulum: EBA mesh from a CAD file, written as a research file of the published package.
clear variables, close all, clc
addpath ../package ../package/igesToolBox
par.derive = 1; par.derive_collect = 3; par.derive_mex = 1; par.anim = 1 - 1; par.movie = 0;
par.equil = 1; par.dyn = 1; par.n_datasample = 50;
par.exp.no = 12; par.exp.list = { 'fab11' 'fab12' ; 3.2 4.1 }; par.exp.span = [ par.exp.list{ 2 , : } ];
par.file = param( 'file' , 'exp2.iges' );

syms g E mu_v mu_u mu_link mu_pow phi ddr_arm_x, par.sym = [ g E mu_v mu_u mu_link mu_pow phi ddr_arm_x ];
val = { 9.81 , 1.5e3 , 50 , 50 , 7e-4 , 1 , -85*pi/180 , 0 };
par.var = cellfun( @( x ) x , val );
G = E/3; l_xz2 = 73e-3/5; l_y2 = 0.8e-3; m_2 = 36e-3/15; l_x1 = 38e-3; l_z1 = 30e-3; l_com1 = 135e-3;
I_2 = m_2/12*diag( [ l_y2^2 + l_xz2^2 , 2*l_xz2^2 , l_xz2^2 + l_y2^2 ] );
J_2 = 1/12*[ l_xz2*l_y2^3 , l_xz2^3*l_y2 , l_xz2*l_y2^3 + l_xz2^3*l_y2 ];
K_v = diag( [ G G E ] )*l_xz2*l_y2/l_xz2; K_u = diag( [ E E G ].*J_2 )/l_xz2;

world.g = [ 0 0 -g ];
body = struct( 'm' , m_2 , 'l_com' , [ 0 0 -l_com1 ] );
joint( 1 ).second = 1; joint( 1 ).tr.rot = [ 2 inf ]; joint( 1 ).dof.init = phi;
joint( 1 ).dof.damp.visc = mu_link; joint( 1 ).dof.damp.pow = mu_pow;

mesh.file_name = par.file; mesh.tol = 1e-3;
mesh.tr( 1 ).rot = [ 2 phi ]; mesh.tr( 2 ).trans = [ 0 0 -l_z1 ];
mesh.body.m = m_2; mesh.body.I = I_2;
mesh.joint( 1 ).tr.trans = [ inf inf inf ]; mesh.joint( 1 ).tr.rot = [ 0 inf inf inf ];
mesh.joint( 2 ).spring.coeff = [ diag( K_v )' diag( K_u )' ]; mesh.joint( 2 ).spring.init = nan*ones( 1 , 6 );
mesh.joint( 2 ).damp.visc = [ mu_v*[ 1 1 1 ] mu_u*[ 1 1 1 ] ]; mesh.joint( 2 ).damp.pow = mu_pow;

clip = [ 16 14 ]; side = [ 1 -1 ];
for i = 1:numel( clip )
    joint( end+1 ).first = 1; joint( end ).second = clip( i );
    joint( end ).tr.trans = [ side( i )*l_x1 0 -l_z1 ]; joint( end ).fixed = ones( 1 , 6 );
end
exload = [];

if par.derive, [ ~ , ~ , ~ , par ] = tmt_eom_derive( par , world , body , joint , exload , mesh ); end
if par.equil, [ x0 , par ] = equil( par ); else x0 = []; end
if isfield( par , 'modal' ) && par.modal, [ phi_m , ~ ] = modal( x0 , par ); end
if par.movie
    vid = VideoWriter( [ 'fabric_' num2str( par.exp.no ) '.avi' ] ); vid.FrameRate = 20; open( vid );
end
for it = 1:ceil( diff( par.exp.span )/par.t_rep )
    [ t_i , z_i , par ] = dyn_sim( par , x0 ); x0 = z_i( end , : )';
    if par.anim, [ r_a , par ] = anim( t_i , z_i , par ); writeVideo( vid , getframe( gcf ) ); end
end
if par.movie, close( vid ), end
post_proc( par ); save code/results.mat par -v7.3
