T = input('T', 0); rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1100;
cable(1).rod = 1; cable(1).path = [0.005 0]; cable(1).tension = T;
task(1).value = length(cable(1)); task(1).desired = 0.299; task(1).P = 400; task(1).D = 40;
