% numbers that several studies share
rho = 1e3; m = rho*disc_area(r)*l
