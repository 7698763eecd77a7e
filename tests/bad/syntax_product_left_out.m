% a product of a formula, typed as it is printed
l = (1 : 3)lm;
m = 2l;
