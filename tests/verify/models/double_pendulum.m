% Point masses on massless bars, both horizontal at the start; angles from the downward vertical.
world.g = [0 -9.81 0];
for k = 1:2
  body(k).m = 1;
  body(k).I = zeros(3);
  body(k).l_com = [0 -1 0];
  joint(k).first = k - 1;
  joint(k).second = k;
  joint(k).tr(1).rot = [3 inf];
end
joint(2).tr(1).trans = [0 -1 0];
joint(1).dof(1).init = pi/2;
sensor(1).name = 'th1';  sensor(1).value = dof(joint(1), 1);
sensor(2).name = 'th2';  sensor(2).value = dof(joint(1), 1) + dof(joint(2), 1);
sensor(3).name = 'w1';   sensor(3).value = ddof(joint(1), 1);
sensor(4).name = 'w2';   sensor(4).value = ddof(joint(1), 1) + ddof(joint(2), 1);
