// Dense linear algebra on LAPACK.  Matrices are row-major.  Nothing here allocates: work space comes from the
// caller's arena, whose need each *_scratch function tells in bytes.
#ifndef TD_DENSE_H
#define TD_DENSE_H

#include "arena.h"

// A = L L' in the lower triangle (the upper one is left alone).  0 or the 1-based index of the first pivot that is
// not above tol * (largest diagonal element).
int td_chol(double* A, int n, double tol);
// Solve A X = B for B n x nrhs, in place.
void td_chol_solve(const double* L, int n, double* B, int nrhs);

// P A = L U, partial pivoting; 0 or the index of the zero pivot.
int td_lu(double* A, int n, int* pivot);
void td_lu_solve(const double* LU, const int* pivot, int n, double* B, int nrhs);
int td_lu_sign(const double* LU, const int* pivot, int n);  // sign of the determinant

// The constrained system
//
//   [ M  J' ] [ x  ]   [ f ]
//   [ J  0  ] [ -l ] = [ g ]        M n x n symmetric, positive on the null space of J; J m x n, any rank
//
// by the null-space method: J' = Q R P' with column pivoting, rank r from the diagonal of R; x = Y y + Z z, with
// (Z'MZ) by Cholesky.  Redundant rows must be consistent; l is the minimum-norm multiplier.  Rows of J that are
// zero are skipped at once.  With m = 0 it is plain Cholesky.
typedef struct td_kkt {
  int n, m, rank;
  int singular;       // 0, or 1: Z'MZ is not positive definite
  double smallest;    // smallest pivot of Z'MZ relative to the largest diagonal element
  double* null_vector;// (n) when singular: a direction in x that M does not resist, else NULL
  // internal factors, in the arena given to td_kkt_factor
  double *QR, *tau, *C, *L, *MY, *MZ, *Z, *Y;
  int *perm, *rows;
  int nrow;
} td_kkt;
size_t td_kkt_scratch(int n, int m);  // bytes for the factors and the solves
// Factors stay valid until the arena is closed below the mark at the call.
void td_kkt_factor(td_kkt* kkt, const double* M, const double* J, int n, int m, double rank_tol, arena* scratch);
// nrhs right-hand sides: f (n x nrhs, row-major), g (m x nrhs) or NULL for zero; x (n x nrhs), l (m x nrhs) or NULL.
void td_kkt_solve(const td_kkt* kkt, const double* f, const double* g, int nrhs, double* x, double* l, arena* scratch);
// Basis of the null space of J, n x (n - rank), orthonormal columns, row-major.
void td_kkt_null_space(const td_kkt* kkt, double* Z);

// Eigenproblems allocate (they belong to analyses, not to evaluation); false: no convergence or no memory.
// K v = w M v with K symmetric, M symmetric positive definite: w ascending (n), V row i is the eigenvector of w[i],
// normalised v'Mv = 1.
bool td_eig_symmetric(const double* K, const double* M, int n, double* w, double* V);
// A v = w v for general A: eigenvalues (re, im); VR (n x n, may be NULL) in LAPACK's packing transposed: row i is the
// real part, for a pair rows i, i+1 are real and imaginary part.
bool td_eig_general(const double* A, int n, double* re, double* im, double* VR);
// Singular values, descending.
bool td_singular_values(const double* A, int rows, int cols, double* s);

#endif
