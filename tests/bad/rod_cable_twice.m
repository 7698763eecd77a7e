for k = 1:2, rod(k).length = 0.3; rod(k).radius = 0.015; rod(k).E = 1e6; rod(k).rho = 1000; end
cable(1).tension = 1; cable(1).rod = [1 1];
