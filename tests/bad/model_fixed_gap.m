for k = 1:2
  body(k).m = 1; body(k).I = eye(3);
  joint(k).second = k; joint(k).tr(1).trans = [0.5*k 0 0]; joint(k).tr(2).rot = [2 inf];
end
joint(3).first = 1; joint(3).second = 2; joint(3).tr.trans = [0.3 0 0];
joint(3).fixed = [1 0 1 0 0 0];
