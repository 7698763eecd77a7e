clear; clc;
nrad = 6; nring = 3;             % radial and ring threads
k_th = 50; c_th = 0.02; m_n = 1e-4;
world.g = [0 0 -9.81]';
cnt = 0;
ids = zeros(nrad,nring);
pos0 = [];
for i=1:nrad
  for j=1:nring
    cnt = cnt+1; ids(i,j) = cnt;
    th = 2*pi*(i-1)/nrad; r = 0.1*j;
    pos0(end+1,:) = [r*cos(th) r*sin(th) 0];
    body(cnt).m = m_n; body(cnt).I = 1e-9*eye(3);
    body(cnt).name = sprintf('n%02d_%d',i,j);
    joint(cnt).first = 0; joint(cnt).second = cnt;
    joint(cnt).tr(1).trans = [inf inf inf];
    [joint(cnt).dof(1:3).init] = deal(pos0(cnt,1), pos0(cnt,2), 0);
  end
end
nj = cnt;
% threads
for i=1:nrad
  for j=1:nring
    i2 = mod(i,nrad)+1;
    nb = [ids(i2,j)];
    if j<nring, nb(end+1) = ids(i,j+1); end
    for kk = nb
      nj = nj+1;
      joint(nj).first = ids(i,j); joint(nj).second = kk;
      joint(nj).tr2nd(1).trans = [0 0 0];
      joint(nj).spring.coeff = k_th;
      joint(nj).spring.init = 0.9*norm(pos0(ids(i,j),:)-pos0(kk,:));
      joint(nj).damp.visc = c_th;
      joint(nj).dir = 1;
    end
  end
  nj = nj+1; joint(nj).first = 0; joint(nj).second = ids(i,nring);
  joint(nj).tr(1).trans = 0.4*[cos(2*pi*(i-1)/nrad) sin(2*pi*(i-1)/nrad) 0];
  joint(nj).tr2nd(1).trans = [0 0 0];
  joint(nj).spring.coeff = k_th; joint(nj).spring.init = 0.09; joint(nj).damp.visc = c_th;
end
par.equil = 1; par.dyn = 0;
fprintf(1,'%d bodies, %d joints\n', numel(body), length(joint));
