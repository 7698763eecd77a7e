rod(1).length = 0.1; rod(1).E = 1e6; rod(1).rho = 1000;
rod(1).section = 'rectangle'; rod(1).width = 0.3; rod(1).height = 0.01;
