% an arm of constant curvature: equal2 as one row and as a row for each element, a controlled direction
n=5; l=.3/n;
body(1).m=.02*ones(n,1); body(1).I=1e-5*eye(3); body(1).tip=[0 0 l];
joint(1).first=[1,0:n-1]'; joint(1).second=[1,1:n]';
joint(1).tr(1).rot=[1 inf]; joint(1).tr(2).rot=[2 inf]; joint(1).tr(3).trans=[0 0 l];
joint(1).dof(1).equal2=[1 1 1]; joint(1).dof(2).equal2=[ones(n,1) ones(n,1) 2*ones(n,1)];
joint(1).dof(1).spring.coeff=.1; joint(1).dof(1).spring.compr=.5; joint(1).dof(1).spring.init=.2;
joint(1).dof(2).spring.coeff=.1; joint(1).dof(2).dir=1;
joint(1).dof(1).damp.visc=1e-3; joint(1).dof(1).damp.pow=2;
joint(2).second=[1 n]; joint(2).fixed=[0 1 0]; joint(2).control=[0 0 0]; joint(2).spring.coeff=0;
world.g=[0 0 9.81];
