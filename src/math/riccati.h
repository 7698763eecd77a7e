// Matrix equations and structural tests of linear control.  Matrices are row-major; the functions
// serve analyses and allocate.  They return TD_E_NOMEM; TD_E_DIVERGED when LAPACK gives up or a
// number is not finite; TD_E_SINGULAR when there is no (unique) solution.
#ifndef TD_RICCATI_H
#define TD_RICCATI_H

#include "math/dense.h"

// Solve A'X + X A + Q = 0 for symmetric Q.
td_status td_lyapunov(const double* A, const double* Q, int n, double* X);

// Find the stabilising solution of A'X + X A - X B B'X + Q = 0 for B (n x m) and symmetric Q, and
// BX = B'X (m x n, may be NULL), which is more accurate than a product with X where control is
// cheap and X nearly annihilates B.  `residual` (may be NULL): largest element of the left side
// relative to the largest of its terms, in coordinates in which A is balanced and inputs act along
// axes.
td_status td_riccati_inputs(const double* A, const double* B, const double* Q, int n, int m,
                            double* X, double* BX, double* residual);
// Find the stabilising solution of A'X + X A - X G X + Q = 0 for positive semidefinite G.
td_status td_riccati(const double* A, const double* G, const double* Q, int n, double* X,
                     double* residual);

// Dimension of the controllable subspace of x' = A x + B u (n states, m inputs) by the staircase
// form; singular values below `tol` relative to the balanced [A B] count as zero.
td_status td_reachable(const double* A, const double* B, int n, int m, double tol, int* rank);

// G = C (iw - A)^-1 B + D at one frequency w [rad/s]: p x m complex numbers as pairs.
// TD_E_SINGULAR: iw is an eigenvalue of A.
td_status td_transfer(const double* A, const double* B, const double* C, const double* D, int n,
                      int m, int p, double w, double* G);

// E = exp(A); E is not A.
td_status td_expm(const double* A, int n, double* E);

// Lower triangular S (n x n) with S S' = sum of r r' over the rows r of M (m x n, overwritten): the
// square root of a covariance.
td_status td_triangular_root(double* M, int m, int n, double* S);

#endif
