joint(1).spring.coeff = nothing1;
x = joint(1).spring.coeff * 2;
