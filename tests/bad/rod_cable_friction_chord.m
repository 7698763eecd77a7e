% friction on a cable that runs through space between two rods
rod(1).length = 0.1; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 1000;
rod(2).first = rod(1); rod(2).tr.trans = [0 0 0.05]; rod(2).joint.type = 'prismatic';
rod(2).length = 0.1; rod(2).radius = 0.015; rod(2).E = 1e6; rod(2).rho = 1000;
cable(1).rod = [1 2]; cable(1).path = [0.01 0]; cable(1).tension = 5; cable(1).friction = 0.2;
