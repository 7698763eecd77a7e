% Algorithm 1 of the TMTDyn paper, the frame of every system.m, around a mass on a spring.  Misprints: modal is under `if par.dyn`;
% dyn_sym for dyn_sim; the break in `save(’code/results.mat’ )`.
par.anim = 0; par.mov = 0; par.derive = 1; par.fun = 1; par.mex = 0; par.equil = 1; par.dyn = 1; par.nint = 50; % modeling parameters
if par.derive
  syms k c m x_0                               % symbolic structural parameters
  par.sym = [ k c m x_0 ];
end
par.var = [ 40 0.3 0.5 0.02 ];                 % default structural parameters
world.g = [ 0 0 -9.81 ];                       % system geometry
body(1).m = m;
joint(1).second = 1;
joint(1).tr.trans = [ 0 0 inf ];
joint(1).dof(1).init = x_0;
joint(1).dof(1).spring.coeff = k;
joint(1).dof(1).damp.visc = c;
mesh = [ ]; exload = [ ];

if par.derive
  [ q , u , lambda , par ] = tmt_eom_derive( par , world , body , joint , exload , mesh ); % EOM derivation
end
if par.equil
  [ x_0e , par ] = equil( par );               % solve for equilibrium
end
if par.dyn
  [ phi , m_w , k_w , v_w , w , eta ] = modal( x_0e , par ); % system linear modal analysis
end
if par.mov
  vidObj = VideoWriter( 'code/anim.avi' ); vidObj.FrameRate = 20; open( vidObj ); % Set video recording parameters
end
t = []; x = []; t_end = 1;
for t_0 = 0 : par.t_rep : t_end - par.t_rep    % dynamic simulation intervals
  if par.dyn
    [ t_i , x_i , par ] = dyn_sym( [ t_0 t_0 + par.t_rep ] , x_0e , par ); % solve system dynamics
    t = [ t ; t_i ]; x = [ x ; x_i ]; x_0e = x( end , : );
  end
  if par.anim
    [ r_anim , rjtip , rks , par ] = anim( t , x , par ); % simple animation & record video
  end
end
if par.mov
  close( vidObj );                             % Close recorded video file
end
post_proc( t , x , par );                      % post-processing the results
save( 'code/results.mat' );                    % save results in a file
