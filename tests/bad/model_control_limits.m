F = input('F', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F;
control(1).law = 1; control(1).limits = [2 1];
