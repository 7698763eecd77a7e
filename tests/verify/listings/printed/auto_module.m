%% Fig. 3 of the AutoTMTDyn paper, the pneumatic module, letter by letter.  auto_module.m is the copy that runs.
% ... base segment (body 1)- fixed to reference frame
for i = 2 : n_s-1 % middle segments
body(i).m = dm ; % element mass
body(i).J = dJ22 ; % element inertia moment
body(i).l_com = [ 0, 0, delta_s/2 ] ; % COM in local frame
body(i).tip = [ 0, 0, delta_s ] ; % element length
joint(i).first = i - 1 ; % previous element number
joint(i).second = i ; % current element number
joint(i).tr(1).trans = [ 0, 0, delta_s ] ; % translation along each element
joint(i).tr(2).trans = [ inf, inf, inf ] ; % translation joint with 3 DOFs for strains
joint(i).tr(2).rot = [ inf, inf, inf ] ; % continuum rotation joint with 3 DOFs for curvatures/torsion
id = 1... 3 ; % 1st... 3rd DOFs: strains
joint(i).dof(id).spring.coeff = K_vx|y|z ; % shear stiffness
joint(i).dof(id).damp.visc = mu_vx|y|z ; % shear viscous damping
joint(i).dof(id).input = 0|0|f_p ; % pneumatic input axial force
id = 4... 6 ; % 4th... 6th DOFs: curvatures/torsion
joint(i).dof(id).spring.coeff = K_ux|y|z ; % bending/torsion stiffness
joint(i).dof(id).damp.visc = mu_ux|y|z ; % bending/torsion viscous damping
joint(i).dof(id).input = tau_px|tau_py|tau_pz ; % pneumatic input bending moments
% ... default values
end
% ... tip segment (force sensor)- with the same joint DOFs
