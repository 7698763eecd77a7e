F = input('F', 0); rod(1).length = 1; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).model = 'eba'; rod(1).input = [0 0 F 0 0 0];
k = strain(rod(1), 0.5);
task(1).value = k(4); task(1).desired = 1;
