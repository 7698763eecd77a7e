for ih = 1 : 6; % DOFs
joint(1).dof(ih).damp.visc = mu(ih);
end
