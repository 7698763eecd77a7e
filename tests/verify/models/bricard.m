% Bricard's mechanism: five rods, six hinges, mobile although it should not be (IFToMM A04).
world.g = [0 -9.81 0];
P = [0 0 0; 1 0 0; 1 -1 0; 1 -1 1; 0 -1 1; 0 0 1];
axes = [0 1 0; 0 0 1; 1 0 0; 0 1 0; 0 0 1; 1 0 0];
thin = (0.1^2 + 0.1^2)/12;
long = (1 + 0.1^2)/12;
for k = 1:5
  r = P(k+1,:) - P(k,:);
  body(k).m = 1;
  body(k).l_com = r/2;
  body(k).I = long*eye(3) - (long - thin)*diag(abs(r));
  joint(k).first = k - 1;
  joint(k).second = k;
  if k > 1
    joint(k).tr(1).trans = P(k,:) - P(k-1,:);
  end
  joint(k).type = 'revolute';
  joint(k).axis = axes(k,:);
end
joint(6).first = 0;                  % closes the loop
joint(6).second = 5;
joint(6).tr(1).trans = P(6,:);
joint(6).tr2nd(1).trans = P(6,:) - P(5,:);
joint(6).type = 'revolute';
joint(6).axis = axes(6,:);
sensor(1).name = 'P3'; sensor(1).value = pos(body(3), P(4,:) - P(3,:));
sensor(2).name = 'P2'; sensor(2).value = pos(body(2), P(3,:) - P(2,:));
