F = input('F', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F;
task(1).value = dof(joint(1), 1); task(1).desired = [1 2];
