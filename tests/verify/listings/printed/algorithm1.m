%% Algorithm 1 of the TMTDyn paper, letter by letter.  It is pseudo-code; algorithm1.m is the copy that runs.
par.anim, .mov, .derive, .fun, .mex, .equil, .dyn, .nint; % modeling parameters
if par.derive then
syms, par.sym; % symbolic structural parameters
end
par.var; % default structural parameters
world.g, body, joint, mesh, exload; % system geometry
% Default routines:
if par.derive then
tmt_eom_derive(...); % EOM derivation
end
if par.equil then
equil(...); % solve for equilibrium
end
if par.dyn then
modal(...); % system linear modal analysis
end
if par.mov then
% Set video recording parameters
end
for dynamic simulation intervals do
if par.dyn then
dyn_sym(...); % solve system dynamics
end
if par.anim then
anim(...); % simple animation & record video
end
end
if par.mov then
% Close recorded video file
end
post_proc(...); % post-processing the results
save('code/results.mat' ); % save results in a file
