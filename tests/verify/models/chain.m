% Three boxes in a row on hinges in three directions, falling from the horizontal.
world.g = [0 0 -9.81];
dims = [0.4 0.06 0.05; 0.35 0.05 0.04; 0.3 0.04 0.03];
mass = [2 1.5 1];
axes = [0 1 0; 0 0 1; 1 1 0];
for k = 1:3
  sq = dims(k,:).^2;
  body(k).m = mass(k);
  body(k).I = mass(k)/12*diag([sq(2)+sq(3) sq(1)+sq(3) sq(1)+sq(2)]);
  body(k).l_com = [dims(k,1)/2 0 0];
  joint(k).first = k - 1;
  joint(k).second = k;
  if k > 1
    joint(k).tr(1).trans = [dims(k-1,1) 0 0];
  end
  joint(k).type = 'revolute';
  joint(k).axis = axes(k,:);
end
sensor(1).name = 'end';
sensor(1).value = pos(body(3), [0.3 0 0]);
