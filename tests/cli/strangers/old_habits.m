% old habits
n=input_or_default();
l = .1;
if (n<1) error('n too small'), end;
M=[];
for k=1:n M=[M; k*l]; end
j=1;
while(1)
  body(j).m=.2; body(j).I=[1 0 0;0 1 0;0 0 1]*1.e-4; body(j).l_com=[0,0,-l/2];
  joint(j).second=j; joint(j).first=j-1; joint(j).tr.trans=[0,0,-l*(j~=1)]; joint(j).tr(2).rot=[2,inf];
  joint(j).dof.spring.coeff=.5/j; joint(j).dof.damp.visc=1e-3;
  joint(j).dof.init = pi/20*(-1)^j;
  j=j+1; if(j>n), break; end
end
world.g=[0,0,-9.81];
nb = length(body); msum=0; for b=body, msum=msum+b.m; end
if ~(nb==n) | msum<=0, disp('something is wrong'); return, end
names={'link';'base'};
par.t_final=.1; par.equil=0; par.dyn=1;
fprintf('total mass %g kg (%d links)\n',msum,nb);
x=0:.1:1; y=x.^2; y(x>.5)=[];
if isempty(y)==0 && all(y>=0), z=max(y); else, z=0; end %#ok
function n=input_or_default()
  n=3;
end
