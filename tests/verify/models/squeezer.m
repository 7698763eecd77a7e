% Andrews' squeezer mechanism: seven planar bodies, three loops that meet at one point (IFToMM A03).
xa = -.06934; ya = -.00227; xb = -.03635; yb = .03273; xc = .014; yc = .072;
d = .028; da = .0115; e = .02; ea = .01421; rr = .007; ra = .00092; ss = .035; sa = .01874; sb = .01043;
sc = .018; sd = .02; ta = .02308; tb = .00916; u = .04; ua = .01228; ub = .00449; zf = .02; zt = .04; fa = .01421;
m  = [.04325 .00365 .02373 .00706 .07050 .00706 .05498];
I  = [2.194e-6 4.410e-7 5.255e-6 5.667e-7 1.169e-5 5.667e-7 1.912e-5];
com = [ra 0; -da 0; sb -sa; 0 ea-e; ta tb; zf-fa 0; -ub -ua];
for k = 1:7
  body(k).m = m(k);
  body(k).I = I(k)*diag([0.5 0.5 1]);
  body(k).l_com = [com(k,:) 0];
end

% the tree: joint k turns body order(k) about z at a place on its parent; then the angles are those of the paper
order  = [1 2 3 5 4 7 6];
parent = [0 1 0 0 5 0 7];
place  = [0 0; rr 0; xb yb; xa ya; zt 0; xa ya; 0 -u];
init   = [-0.0617138900142764496 0 0.455279819163070380 0.487364979543842550 0.222668390165885885 ...
          1.23054744454982119 -0.222668390165885885];
names  = {'beta', 'Theta', 'gamma', 'delta', 'Phi', 'epsilon', 'Omega'};
for k = 1:7
  joint(k).first = parent(k);
  joint(k).second = order(k);
  joint(k).tr(1).trans = [place(k,:) 0];
  joint(k).tr(2).rot = [3 inf];
  joint(k).dof(1).init = init(k);
  sensor(k).name = names{k};
  sensor(k).value = dof(joint(k), 1);
end
joint(1).dof(1).input = 0.033;

% bodies 3, 4 and 6 meet body 2
meets = [3 4 6];
point = [0 -ss; 0 -e; zf 0];
for k = 1:3
  joint(7+k).first = 2;
  joint(7+k).second = meets(k);
  joint(7+k).tr(1).trans = [-d 0 0];
  joint(7+k).tr2nd(1).trans = [point(k,:) 0];
  joint(7+k).refbody = 0;
  joint(7+k).fixed = [1 1 0 0 0 0];
end

joint(11).first = 0;                 % the spring
joint(11).second = 3;
joint(11).tr(1).trans = [xc yc 0];
joint(11).tr2nd(1).trans = [sd -sc 0];
joint(11).spring.coeff = 4530;
joint(11).spring.init = .07785;
