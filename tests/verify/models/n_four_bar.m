% N windows of uniform bars, 1 m and 1 kg each; ground pivots 1 m apart, top moving with 1 m/s (IFToMM A02).
N = 0;
for k = 1:param('N', 1)               % a number: places cannot depend on a parameter
  N = N + 1;
end
world.g = [0 -9.81 0];
for k = 0:N
  body(k+1).m = 1;
  body(k+1).I = diag([1/12 0 1/12]);
  body(k+1).l_com = [0 0.5 0];
  joint(k+1).second = k + 1;
  joint(k+1).tr(1).trans = [k 0 0];
  joint(k+1).tr(2).rot = [3 inf];
  joint(k+1).dof(1).rate = -1;
end
for k = 1:N
  c = N + 1 + k;                     % the bar from the top of upright k to that of upright k + 1
  body(c).m = 1;
  body(c).I = diag([0 1/12 1/12]);
  body(c).l_com = [0.5 0 0];
  joint(c).first = k;
  joint(c).second = c;
  joint(c).tr(1).trans = [0 1 0];
  joint(c).tr(2).rot = [3 inf];
  joint(c).dof(1).rate = 1;
  loop = 2*N + 1 + k;
  joint(loop).first = c;
  joint(loop).second = k + 1;
  joint(loop).tr(1).trans = [1 0 0];
  joint(loop).tr2nd(1).trans = [0 1 0];
  joint(loop).refbody = 0;
  joint(loop).fixed = [1 1 0 0 0 0];
end
sensor(1).name = 'top';   sensor(1).value = pos(body(1), [0 1 0]);
sensor(2).name = 'speed'; sensor(2).value = -ddof(joint(1), 1);
