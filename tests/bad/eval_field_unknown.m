joint(2).sprng.coeff = 40;
