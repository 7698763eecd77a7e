% Fig. 3 of the AutoTMTDyn paper: the pneumatic module with four elements, E = 130 kPa and dampers of 0.01, as its text says; the other
% numbers are those of Table 2.  `K_vx|y|z` of the pseudo-code is an element of a vector here, `id = 1... 3 ;` a loop; body.J and its one
% number are taken.  Misprints: the rows of p_o are given as sin(pi/2), sin(-pi/6), sin(7 pi/6), with the moment 2 p a_p p_o; the
% stiffnesses are printed with an exponent -1.
n_s = param('n', 4) + 2;  l = 50e-3;  delta_s = l/(n_s - 2);  E = 130e3;  G = E/3;
p = 1e4*[param('p1', 2) param('p2', 1) param('p3', 0)];  a_p = pi*2.5e-3^2;
p_o = 8.5e-3*[sin(pi/2) -cos(pi/2) 0; sin(-pi/6) -cos(-pi/6) 0; sin(7*pi/6) -cos(7*pi/6) 0];
a = pi*(12.5e-3^2 - 4.5e-3^2 - 6*2.5e-3^2);  I = pi/4*(12.5e-3^4 - 4.5e-3^4);
K_v = [G G E]*a/delta_s;  K_u = [E*I E*I 2*G*I]/delta_s;  mu_v = 0.01*[1 1 1];  mu_u = 0.01*[1 1 1];
f_p = 2*sum(p)*a_p;  tau_p = 2*p*a_p*p_o;
dm = 28e-3/(n_s - 2);  dJ22 = 1e-6;
body(1).m = 1e-3;  joint(1).second = 1;        % ... base segment (body 1), fixed to reference frame
for i = 2 : n_s-1                              % middle segments
    body(i).m = dm ;                           % element mass
    body(i).J = dJ22 ;                         % element inertia moment
    body(i).l_com = [ 0, 0, delta_s/2 ] ;      % COM in local frame
    body(i).tip = [ 0, 0, delta_s ] ;          % element length
    joint(i).first = i - 1 ;                   % previous element number
    joint(i).second = i ;                      % current element number
    joint(i).tr(1).trans = [ 0, 0, delta_s ] ; % translation along each element
    joint(i).tr(2).trans = [ inf, inf, inf ] ; % translation joint with 3 DOFs for strains
    joint(i).tr(2).rot = [ inf, inf, inf ] ;   % continuum rotation joint with 3 DOFs for curvatures/torsion
    in = [0, 0, f_p];
    for id = 1 : 3                             % 1st... 3rd DOFs: strains
        joint(i).dof(id).spring.coeff = K_v(id) ; % shear stiffness
        joint(i).dof(id).damp.visc = mu_v(id) ;   % shear viscous damping
        joint(i).dof(id).input = in(id) ;         % pneumatic input axial force
    end
    for id = 4 : 6                             % 4th... 6th DOFs: curvatures/torsion
        joint(i).dof(id).spring.coeff = K_u(id-3) ; % bending/torsion stiffness
        joint(i).dof(id).damp.visc = mu_u(id-3) ;   % bending/torsion viscous damping
        joint(i).dof(id).input = tau_p(id-3) ;      % pneumatic input bending moments
    end
end
body(n_s).m = 13.47e-3;  joint(n_s).first = n_s - 1;  joint(n_s).second = n_s;  % ... tip segment (force sensor)
sensor(1).name = 'tip';  sensor(1).value = pos(body(n_s));
par.t_final = 0.1; par.dt_out = 0.01;
