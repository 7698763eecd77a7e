% A sensor that has no value at the start.
body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
sensor(1).name = 'r'; sensor(1).value = [log(dof(joint(1), 1) - 1) 1/dof(joint(1), 1)];
par.t_final = 0.1;
