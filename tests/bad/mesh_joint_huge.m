% A net has three kinds of joints: a huge index is refused without a walk through all of them.
mesh.grid = [2 2];
mesh.joint(1).tr.trans = [inf inf inf];
mesh.joint(2).spring.coeff = 1;
mesh.joint(1000000).damp.visc = 1;
