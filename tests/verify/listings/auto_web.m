% Fig. 1 of the AutoTMTDyn paper: the spider's web.  Braces of its pseudo-code are `end`; what it leaves out ("...") stands between
% the marks.  The paper prints no numbers: those here are of a web of elastic cord.  Odd masses lie between the radii.
n_c = param('rings', 6);  n = 1;  C_n = 1;  rho = 1000;  a = 8e-7;  l = 0.03;  E = 5e6;  C_c = param('C_c', 0.9);
nu_m = 2e-4;  nu_l = 1e-3;
x = zeros(17, 6);  y = x;  z = x;
for i_c = 1 : 6
  for i_phi = 1 : 17
    x(i_phi, i_c) = l*i_c*cos(pi/8*(i_phi - 1));  y(i_phi, i_c) = l*i_c*sin(pi/8*(i_phi - 1));
  end
end
body(1).m = n*C_n*rho*a*l;  joint(1).first = 0;  joint(1).second = 1;  joint(1).tr.trans = [inf, inf, inf];  i_k = 1;  % ... the hub

for i_c = 1 : n_c                                % iterate over circular webs
  for i_phi = 1 : 16                             % iterate over radii and middle spiral masses
    i_b = (i_c-1)*16 + i_phi + 1;                % body counter
    i_k = i_k + 1;                               % spring numerator
    body(i_b).type = 'rigid';                    % body type
    body(i_b).m = n*C_n*rho*a*l;                 % body mass
    body(i_b).l_com = [ 0, 0, 0 ];               % body COM position in local frame
    joint(i_k).first = 0;                        % DOF Joint 1st body
    joint(i_k).second = i_b;                     % DOF joint 2nd body
    joint(i_k).tr(1).trans = [ inf, inf, inf ];  % 3D translational DOFs only
    joint(i_k).dof(1).init = x(i_phi,i_c);       % 1st DOF initial position
    joint(i_k).dof(1).damp.visc = nu_m;          % 1st DOF viscous damping
    joint(i_k).dof(2).init = y(i_phi,i_c);  joint(i_k).dof(2).damp.visc = nu_m;  % ... similar for 2nd and 3rd DOF
    joint(i_k).dof(3).init = z(i_phi,i_c);  joint(i_k).dof(3).damp.visc = nu_m;
    i_k = i_k + 1; i_p = 1 + (i_c > 1)*((i_c-2)*16 + i_phi); % ... previous mass number
    joint(i_k).first = i_p;                      % spring 1st body (previous body)
    joint(i_k).second = i_b;                     % spring 2nd body (current body)
    joint(i_k).tr.trans = [ 0, 0, 0 ];
    joint(i_k).tr.rot = [ 0, 0 ];                % location & orientation in 1st body
    joint(i_k).tr2nd.trans = [ 0, 0, 0 ];
    joint(i_k).tr2nd.rot = [ 0, 0 ];             % location & orientation in 2nd body
    joint(i_k).spring.coeff = n*C_n*E*a/(C_c*l); % spring coefficient
    joint(i_k).spring.init = C_c*l;              % spring initial length
    joint(i_k).damp.visc = n*C_n*nu_l/(C_c*l);
    if mod( i_phi , 2 ) == 1                     % no radial spring for middle spiral thread masses
      joint(i_k).spring.coeff = 0; joint(i_k).damp.visc = 0; end
    i_k = i_k + 1; r = [x(i_phi+1,i_c), y(i_phi+1,i_c), z(i_phi+1,i_c)] - [x(i_phi,i_c), y(i_phi,i_c), z(i_phi,i_c)]; % spiral spring vector
    l_s = sqrt( r*r' );                          % spiral spring length
    joint(i_k).first = i_b;                      % ... same as above for spiral springs
    joint(i_k).second = (i_c-1)*16 + mod(i_phi, 16) + 2;
    joint(i_k).tr.trans = [ 0, 0, 0 ];  joint(i_k).tr2nd.trans = [ 0, 0, 0 ];
    joint(i_k).spring.coeff = n*C_n*E*a/(C_c*l_s);  joint(i_k).spring.init = C_c*l_s;
    joint(i_k).damp.visc = n*C_n*nu_l/(C_c*l_s);
  end
end
for i_phi = 2 : 2 : 16                           % ... the frame
  i_k = i_k + 1;
  joint(i_k).first = 0;  joint(i_k).second = (n_c-1)*16 + i_phi + 1;
  joint(i_k).tr.trans = (n_c + 1)*[x(i_phi,1), y(i_phi,1), 0];  joint(i_k).tr2nd.trans = [ 0, 0, 0 ];
  joint(i_k).spring.coeff = n*C_n*E*a/(C_c*l);  joint(i_k).spring.init = C_c*l;
end

[eom] = TMTEoM_QP(world, body, joint, exload);
q0 = EquilEoM(eom);
[t_s, q_s] = SimEoM(eom, q0);
AnimEOM(t_s, q_s);
par.t_final = 0.02; par.dt_out = 0.002; par.modal = 1;
