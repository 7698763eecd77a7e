% Sensors that are no number and infinite at every state.
body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
z = dof(joint(1), 1)^2; sensor(1).name = 'r'; sensor(1).value = [max(0, -z)/max(0, -2*z) 1/max(0, -z) 2];
par.t_final = 0.1;
