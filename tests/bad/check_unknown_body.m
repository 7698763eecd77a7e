body(1).mass = 2;
