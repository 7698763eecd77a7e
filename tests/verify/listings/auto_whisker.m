% Fig. 2 of the AutoTMTDyn paper: the whisker.  "... base segment" and the load at the tip are not printed there.
n_s = param('n', 5);  delta_s = 0.02;  dm = 1e-3;  dI22 = 1e-7;  k_u = 2.5;  mu_u = 1e-4;  k_s = 300;  mu_s = 0.1;  l_PS = 0.01;
u0 = zeros(1, n_s);
body(1).m = 0.01;  body(1).I = 1e-6;  joint(1).second = 1;  joint(1).tr(1).trans = [ inf, 0, 0 ];  % ... base segment (body 1)
for i = 2 : n_s+1                              % whisker segments
    body(i).m = dm ;                           % element mass
    body(i).I = dI22 ;                         % element inertia moment
    body(i).l_com = [ 0, 0, delta_s/2 ] ;      % COM in local frame
    body(i).tip = [ 0, 0, delta_s ] ;          % element length
    joint(i).first = i - 1 ;                   % previous element number
    joint(i).second = i ;                      % current element number
    joint(i).tr(1).trans = [ 0, 0, delta_s ] ; % joint translation
    joint(i).tr(1).rot = [ 0, inf, 0 ] ;       % continuum joint rotation with DOF along 2nd axis
    joint(i).dof(1).init = u0(i-1) ;           % initial value from static analysis
    joint(i).dof(1).spring.coeff = k_u ;       % bending stiffness
    joint(i).dof(1).spring.init = 0 ;          % spring resting angle
    joint(i).dof(1).damp.visc = mu_u ;         % bending viscous damping
end
                                               % ... base variable stiffness
joint(i+1).first = 0 ;                         % spring 1st end (ground)
joint(i+1).second = 1 ;                        % 2nd end (body 1)
joint(i+1).tr(1).trans = [ 0, 0, l_PS ] ;      % position w.r.t. ground
joint(i+1).tr2nd.trans = [ 0, 0, l_PS ] ;      % position w.r.t. base body
joint(i+1).spring.coeff = k_s ;                % variable spring coefficient
joint(i+1).spring.init = 0 ;                   % spring initial length
joint(i+1).damp.visc = mu_s ;                  % variable damping coefficient
exload(1).body = n_s + 1;  exload(1).tr.trans = [ 0, 0, delta_s ];  exload(1).ftau = [1e-4 0 0];
sensor(1).name = 'tip';  sensor(1).value = pos(body(n_s + 1), [0 0 delta_s]);
par.t_final = 0.1; par.dt_out = 0.01;
