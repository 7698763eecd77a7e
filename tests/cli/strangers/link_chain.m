function [par, world, body, joint, exload] = link_chain(par)
% chain of links with torsion springs
world.g = [0 0 -9.81];
n = par.n;
for i = 1:n
    body(i).m = 0.1; body(i).I = 1e-4*eye(3); body(i).l_com = [par.l/n/2 0 0]; body(i).tip = [par.l/n 0 0];
    joint(i).first = [i-1 ; 1];
    joint(i).second = [i ; 1];
    if i > 1, joint(i).tr(1).trans = [par.l/n 0 0]; else joint(i).tr(1).trans = [0 0 0]; end
    joint(i).tr(2).rot = [2 inf];
    joint(i).dof(1).spring.coeff = 2;
end
joint(1).first = [0 ; 1];
exload(1).exbody = [n 1];
exload(1).ftau = zeros(1,6);
par.m_tot = sum([body.m]);
