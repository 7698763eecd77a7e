% dots of pseudo-code continue a statement
id = 1... 3 ;
k(id) = 2;
equil(...);
m = 1;
