// Gauss-Legendre quadrature and the polynomials behind it.
#ifndef TD_QUADRATURE_H
#define TD_QUADRATURE_H

// Points x and weights w of the n-point rule on [0, 1], exact for polynomials of degree 2n - 1;
// n <= 512.
void td_gauss(int n, double* x, double* w);

// P_0 ... P_n at x in [-1, 1], by (k+1) P_{k+1} = (2k+1) x P_k - k P_{k-1}.
void td_legendre(int n, double x, double* P);

#endif
