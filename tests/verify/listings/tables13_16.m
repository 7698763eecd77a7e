% Every field of Tables 13 to 16 of the TMTDyn paper but those of ROM and mesh, in the largest of its printed shapes, on a mesh of two elements;
% [] is their printed default.  param written = 1 writes the same robot element by element.
if ~param('written', 0)
  par.anim = []; par.mov = []; par.derive = []; par.fun = []; par.mex = []; par.modal = []; par.equil = []; par.dyn = []; par.nint = [];
  world.g = [];
  body(1).m = [0.1; 0.2]; body(1).I = cat(3, 1e-4*eye(3), 2e-4*eye(3)); body(1).l_com = [0 0 0; 0 0 .01]; body(1).tip = [0 0 .1; 0 0 .1];
  joint(1).rom = []; joint(1).first = []; joint(1).second = [1 1 2]; 
  joint(1).tr(1).trans = [inf inf inf]; joint(1).tr(1).rot = [0 inf inf inf];
  joint(1).dof(1).equal2 = []; joint(1).dof(1).init = [0; 0.01]; joint(1).dof(1).rate = [0; 0.2]; joint(1).dof(2).rate = [0.3; 0]; joint(1).dof(3).init = [.1; .2];
  joint(1).dof(1).spring.coeff = [1; 2]; joint(1).dof(1).spring.init = [nan; 0]; joint(1).dof(1).spring.compr = [1; .5]; joint(1).dof(1).dir = [0; 1]; joint(1).dof(1).damp.visc = [.1; .2]; joint(1).dof(1).damp.pow = [1; 2]; joint(1).dof(1).input = [0; .1];
  joint(2).first = [1 0 1]; joint(2).second = [1 1 2]; joint(2).tr2nd = []; joint(2).dir = [0; 0]; joint(2).xaxis = [1 0 0; 1 0 0];
  joint(2).spring.coeff = [10 10 20 .1 .1 .1; 20 20 40 .2 .2 .2]; joint(2).spring.init = nan(2,6); joint(2).spring.compr = ones(2,6);
  joint(2).damp.visc = ones(2,6)*1e-2; joint(2).damp.pow = ones(2,6); joint(2).input = zeros(2,6);
  joint(3).first = []; joint(3).second = [1 1 2]; joint(3).refbody = [1 1 2]; joint(3).fixed = [1 0 0 0 0 0; 0 1 0 0 0 0]; joint(3).control = [0 0 0 0 0 0; 0 .1 0 0 0 0];
  joint(4).first = 0; joint(4).second = [1 2]; joint(4).tr(1).rot = [2 .1]; joint(4).tr2nd(1).trans = [0 0 .05]; joint(4).tr2nd(1).rot = [1 0 0 0]; joint(4).spring.coeff = 5; joint(4).spring.init = nan; joint(4).damp.visc = .1;
  mesh = [];
  exload(1).exbody = [1 1 2]; exload(1).refbody = [1 1 2]; exload(1).tr(1).trans = [0 0 .1]; exload(1).tr(1).rot = [1 .2]; exload(1).ftau = [0 .01 0 0 0 0; 0 0 .01 0 0 0];
  exload(2).exbody = 1; exload(2).refbody = []; exload(2).ftau = [0 0 .1];
else
  body(1).m = 0.1; body(1).I = 1e-4*eye(3);
  body(2).m = 0.2; body(2).I = 2e-4*eye(3); body(2).l_com = [0 0 .01];
  for k = 1:2, joint(k).second = k; joint(k).tr(1).trans = [inf inf inf]; joint(k).tr(1).rot = [0 inf inf inf]; end
  joint(1).dof(3).init = .1; joint(1).dof(2).rate = 0.3; joint(1).dof(1).spring.coeff = 1; joint(1).dof(1).damp.visc = .1;
  joint(2).dof(1).init = .01; joint(2).dof(3).init = .2; joint(2).dof(1).rate = 0.2;
  joint(2).dof(1).spring.coeff = 2; joint(2).dof(1).dir = 1; joint(2).dof(1).damp.visc = .2; joint(2).dof(1).damp.pow = 2; joint(2).dof(1).input = .1;
  joint(3).second = 1; joint(3).spring.coeff = [10 10 20 .1 .1 .1];
  joint(4).first = 1; joint(4).second = 2; joint(4).spring.coeff = [20 20 40 .2 .2 .2];
  for k = 3:4, joint(k).xaxis = [1 0 0]; joint(k).spring.init = nan(1, 6); joint(k).damp.visc = 1e-2*ones(1, 6); end
  joint(5).second = 1; joint(5).refbody = 1; joint(5).fixed = 1;
  joint(6).second = 2; joint(6).refbody = 2; joint(6).fixed = [0 1 0]; joint(6).control = .1;
  joint(7).second = 2; joint(7).tr(1).rot = [2 .1]; joint(7).tr2nd(1).trans = [0 0 .05]; joint(7).spring.coeff = 5; joint(7).spring.init = nan; joint(7).damp.visc = .1;
  for k = 1:2, exload(k).exbody = k; exload(k).refbody = k; exload(k).tr(1).trans = [0 0 .1]; exload(k).tr(1).rot = [1 .2]; end
  exload(1).ftau = [0 .01 0]; exload(2).ftau = [0 0 .01]; exload(3).exbody = 1; exload(3).ftau = [0 0 .1];
end
