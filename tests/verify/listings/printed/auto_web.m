%% Fig. 1 of the AutoTMTDyn paper, the spider's web, letter by letter.  auto_web.m is the copy that runs.
for i_c = 1 : 6 { % iterate over circular webs
for i_phi = 1 : 16 { % iterate over radii and middle spiral masses
i_b = (i_c-1)*16 + i_phi + 1 ; % body counter
i_k= i_k + 1 % spring numerator,
body(i_b).type = 'rigid' ; % body type
body(i_b).m = n*C_n*rho*a*l ; % body mass
body(i_b).l_com = [ 0, 0, 0 ] ; % body COM position in local frame
joint(i_k).first = 0 ; % DOF Joint 1st body
joint(i_k).second = i_b ; % DOF joint 2nd body
joint(i_k).tr(1).trans = [ inf, inf, inf ] ; % 3D translational DOFs only
joint(i_k).dof(1).init = x(i_phi,i_c) ; % 1st DOF initial position
joint(i_k).dof(1).damp.visc = nu_m ; % 1st DOF viscous damping
% ... similar for 2nd and 3rd DOF
i_k = i_k + 1, i_p= % ... previous mass number
joint(i_k).first = i_p; % spring 1st body (previous body)
joint(i_k).second = i_b ; % spring 2nd body (current body)
joint(i_k).tr.trans = [ 0, 0, 0 ] ;
joint(i_k).tr.rot = [ 0, 0 ] ; % location & orientation in 1st body
joint(i_k).tr2nd.trans = [ 0, 0, 0 ] ;
joint(i_k).tr2nd.rot = [ 0, 0 ] ; % location & orientation in 2nd body
joint(i_k).spring.coeff = n*C_n*E*a/(C_c*l); % spring coefficient
joint(i_k).spring.init = C_c*l; % spring initial length
joint(i_k).damp.visc = n*C_n*nu_l/(C_c*l) ;
if mod( i_phi , 2 ) == 1 { % no radial spring for middle spiral thread masses
joint(i_k).spring.coeff = 0 ; joint(i_k).damp.visc = 0 ; }
i_k = i_k + 1, r = [x, y, z](i_phi+1,i_c) - [x, y, z](i_phi,i_c); % spiral spring vector
l_s = sqrt( r. r') ; % spiral spring length
% ... same as above for spiral springs
} }
