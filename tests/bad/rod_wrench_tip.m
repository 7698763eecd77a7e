% the segments of a rod tell the wrench inside it up to the middle of the last one
rod(1).model = 'ebr'; rod(1).n = 5; rod(1).length = 0.5; rod(1).radius = 0.01;
rod(1).E = 1e6; rod(1).nu = 0.4; rod(1).rho = 1000;
sensor(1).name = 'w';
sensor(1).value = wrench(rod(1), 0.5);
