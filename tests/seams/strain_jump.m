% Strains given over time whose rates jump: one of time alone, one with a coordinate; both stand on a free cart.
body(1).m = 0.3; body(1).I = 0.001*eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];
for k = 1:2, rod(k).first = 1; rod(k).length = 0.4; rod(k).radius = 0.01; rod(k).E = 1e6; rod(k).rho = 1000; rod(k).points = 5; end
rod(1).coords = 1; c = coord(rod(1));
rod(1).strain = [0 0 0 0 c(1)*s + 2*ramp(t, 0.1, 0.3) 0];
rod(2).strain = [0 0 0 0 3*abs(t - 0.137) 0];
sensor(1).name = 'x'; sensor(1).value = [dof(joint(1), 1) ddof(joint(1), 1) pos(rod(1)) vel(rod(2))];
par.t_final = 0.2;
