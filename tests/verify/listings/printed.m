% The listings letter by letter (folder printed) with the numbers of Tables 2 and 8 and of the mended copies beside this file:
%   tendril check tests/verify/listings/printed.m --set listing=table4_eba
listing = param('listing', 'table4_eba');
switch listing
  case {'table3_rom', 'table3_srl', 'table4_ebr', 'table4_eba'}
    include('table2.m');
    mu_xi = 100*[1 1 1];  mu_zeta = 0.01*[1 1 1];
    if ~strcmp(listing, 'table3_rom'), Kv = Kv*nd/lm2;  Ku = Ku*nd/lm2; end
  case 'table9_sleeve'
    g = 9.81;  m2 = 36e-3;  lm1 = 270e-3;  lcom1 = 135e-3;  lcx = 38e-3;  lcz = 30e-3;  theta_h0 = -85*pi/180;  mu_h = 1e2;  nd = 15;
    I2 = 1e-6*eye(3);  K_eps = 20*eye(3);  K_alpha = 1e-3*eye(3);  mu_eps = 1e2*[1 1 1];  mu_alpha = mu_eps;  u_c = -1.5;
  case {'simple_srl', 'simple_ebr', 'simple_eba', 'simple_rom'}
    par.var = [0.1, 0.05, 4.3e-5, 0.2, 0.002, 0.3, -2];
    r1 = 0.01;  E1 = 2e5;  G1 = E1/3;  mu_eps = 0.1;  mu_alpha = 1e-5;  nu = 1;  f_l1 = 0.01;  f_l2 = 0.05;
  case 'auto_whisker'
    n_s = 5;  delta_s = 0.02;  dm = 1e-3;  dI22 = 1e-7;  k_u = 2.5;  mu_u = 1e-4;  k_s = 300;  mu_s = 0.1;  l_PS = 0.01;  u0 = zeros(1, n_s);
    body(1).m = 0.01;  body(1).I = 1e-6;  joint(1).second = 1;  joint(1).tr(1).trans = [inf, 0, 0];
end
include(['printed/' listing '.m']);
