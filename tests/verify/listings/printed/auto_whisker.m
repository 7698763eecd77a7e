%% Fig. 2 of the AutoTMTDyn paper, the whisker, letter by letter.  auto_whisker.m has the base and the load too.
% ... base segment (body 1)
for i = 2 : n_s+1 % whisker segments
body(i).m = dm ; % element mass
body(i).I = dI22 ; % element inertia moment
body(i).l_com = [ 0, 0, delta_s/2 ] ; % COM in local frame
body(i).tip = [ 0, 0, delta_s ] ; % element length
joint(i).first = i - 1 ; % previous element number
joint(i).second = i ; % current element number
joint(i).tr(1).trans = [ 0, 0, delta_s ] ; % joint translation
joint(i).tr(1).rot = [ 0, inf, 0 ] ; % continuum joint rotation... with DOF along 2nd axis
joint(i).dof(1).init = u0(i-1) ; % initial value from static analysis
joint(i).dof(1).spring.coeff = k_u ; % bending stiffness
joint(i).dof(1).spring.init = 0 ; % spring resting angle
joint(i).dof(1).damp.visc = mu_u ; % bending viscous damping
end
% ... base variable stiffness
joint(i+1).first = 0 ; % spring 1st end (ground)
joint(i+1).second = 1 ; % 2nd end (body 1)
joint(i+1).tr(1).trans = [ 0, 0, l_PS ] ; % position w.r.t. ground
joint(i+1).tr2nd.trans = [ 0, 0, l_PS ] ; % position w.r.t. base body
joint(i+1).spring.coeff = k_s ; % variable spring coefficient
joint(i+1).spring.init = 0 ; % spring initial length
joint(i+1).damp.visc = mu_s ; % variable damping coefficient
