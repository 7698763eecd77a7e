% a net from lists: structures by struct(), joints copied from the first one
names={'a','b','c'}; mass=[1 2 3]*1e-2; pos0={[0 0 0],[.1 0 0],[.2 0 0]};
for i=1:numel(names)
 body(i)=struct('m',mass(i),'I',1e-6*eye(3),'l_com',[0 0 0],'tip',[0 0 0]);
 joint(i).first=0; joint(i).second=i; joint(i).tr=struct('trans',{[inf inf inf]},'rot',{[0 0]});
 for k=1:3, joint(i).dof(k).init=pos0{i}(k); end
end
edges=[1 2;2 3];
for e=1:size(edges,1)
 j=numel(joint)+1;
 joint(j)=joint(1); joint(j).first=edges(e,1); joint(j).second=edges(e,2); joint(j).tr=[]; joint(j).dof=[]; joint(j).tr2nd.trans=[0 0 0];
 joint(j).spring=struct('coeff',20,'init',norm(pos0{edges(e,2)}-pos0{edges(e,1)}));
end
joint(end+1).first=0; joint(end).second=1; joint(end).fixed=[1 1 1];
world.g=[0 0 -9.81];
