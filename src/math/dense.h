// Dense linear algebra on LAPACK.  Matrices are row-major.  Nothing here allocates: work space
// comes from the caller's arena, whose need each *_scratch function tells in bytes.
#ifndef TD_DENSE_H
#define TD_DENSE_H

#include "base/arena.h"

// C = A B for A rows x inner and B inner x cols; C = A'B for A inner x rows.  C is neither A nor B.
// OpenBLAS takes a buffer of 128 MB at its first call and tries forever where it gets none.  Is
// there room for it under the limits of the process (ulimit -v, -d)?  Once there was, it is in use.
bool td_blas_room(void);

void td_mul(const double* A, const double* B, int rows, int inner, int cols, double* C);
void td_mul_tn(const double* A, const double* B, int rows, int inner, int cols, double* C);

// A = L L' in the lower triangle (the upper one is left alone).  0 or the 1-based index of the
// first pivot that is not above tol * (its own diagonal element of A), a test that no choice of
// units changes.
int td_chol(double* A, int n, double tol);
// Solve A X = B for B n x nrhs, in place.
void td_chol_solve(const double* L, int n, double* B, int nrhs);

// A P = L U with unit U: LAPACK's factors of A', which row-major storage hands to it.  0, or the
// 1-based index of the first zero pivot.
int td_lu(double* A, int n, int* pivot);
// The same, and the reciprocal of its condition number in the 1-norm, estimated; 0: it is singular.
double td_lu_condition(double* A, int n, int* pivot);
void td_lu_solve(const double* LU, const int* pivot, int n, double* B, int nrhs);
// The same for complex numbers, stored as pairs [re, im]; one right-hand side.
int td_lu_complex(double* A, int n, int* pivot);
void td_lu_complex_solve(const double* LU, const int* pivot, int n, double* b);
int td_lu_sign(const double* LU, const int* pivot, int n);  // sign of the determinant, 0: singular

// The constrained system
//
//   [ M  J' ] [ x  ]   [ f ]
//   [ J  0  ] [ -l ] = [ g ]        M n x n symmetric, positive on the null space of J; J m x n,
//   any rank
//
// by the null-space method.  Rows and columns of J are scaled, J' = Q R P' with column pivoting,
// rank r from the diagonal of R; x = Q [y; z] with R'y = P'g, and z from the lower right block of
// Q'MQ by Cholesky. Redundant rows must be consistent; l is the minimum-norm multiplier.  Rows of J
// that are zero are skipped at once (their l is 0).  With m = 0 it is plain Cholesky.

// The sizes against which the rank of J is decided.  A row that should be zero is what rounding
// left of the difference of two large numbers: the size of these numbers, not its own, tells that
// it is none.  NULL instead of the scales: each row has its own length for a size.
typedef struct td_row_scale {
  const double* row;  // (m) size of the numbers that a row was made of; 0: the row does nothing
  const double* col;  // (n) factors of the columns, NULL: 1
  int most;           // rank found at a state that meets the constraints, which others near by have
                      // at most; -1: unknown
  const int* order;   // (most) the independent rows found there, preferred as pivots; NULL: any
} td_row_scale;
// How many rows are independent: pivots of the QR factorisation above tol; which, in `order` (m,
// may be NULL).  Every decision of this kind is made here or by td_kkt_factor, which is the same
// code.
int td_row_rank(const double* J, int n, int m, const td_row_scale* scale, double tol, int* order,
                arena* scratch);

typedef struct td_kkt {
  int n, m, rank;
  int singular;         // 0, or 1: the lower right block is not positive definite
  double smallest;      // its smallest pivot relative to the diagonal element of that pivot
  double* null_vector;  // (n) when singular: a direction in x that M does not resist, else NULL
  // internal, in the arena given to td_kkt_factor
  double *QR, *tau;   // J' = Q R P' of the `nrow` rows kept, column-major as LAPACK has it
  double *W, *wtau;   // redundant rows: QR of the nrow x rank matrix J Y, else NULL
  double *C, *L;      // Q'MQ and the Cholesky factor of its lower right block
  double* length;     // (nrow) sizes of the rows kept
  const double* col;  // (n) factors of the columns, NULL: 1
  int *perm, *rows;   // P, and which rows of J were kept
  int nrow;
} td_kkt;
// Operations of LAPACK for large systems; NULL in exported programs, which do without.
typedef struct td_large_ops {
  // X = Q'X, or Q X, for n x cols row-major X and Q of `count` reflections in the columns of QR
  void (*apply)(const double* QR, const double* tau, int n, int count, bool transposed, double* X,
                int cols, double* work, int lwork);
  // Pivoted QR of n x m column-major A; columns with perm != 0 come first, perm: where each is from
  void (*pivoted)(double* A, int n, int m, int* perm, double* tau, double* work, int lwork);
  // B -= C X with rows x inner C, whose rows are ld long, and B rows x cols
  void (*subtract)(const double* C, int ld, int rows, int inner, const double* X, double* B,
                   int cols);
} td_large_ops;
extern const td_large_ops* const td_large;

size_t td_kkt_scratch(int n, int m);  // bytes for the factors and the solves
// Reads the lower triangle of M.  Factors stay valid until the arena is closed below the mark at
// the call.
void td_kkt_factor(td_kkt* kkt, const double* M, const double* J, int n, int m,
                   const td_row_scale* scale, double rank_tol, arena* scratch);
// nrhs right-hand sides: f (n x nrhs, row-major), g (m x nrhs) or NULL for zero; x (n x nrhs, may
// be f), l (m x nrhs) or NULL.  NaN when the system is singular.
void td_kkt_solve(const td_kkt* kkt, const double* f, const double* g, int nrhs, double* x,
                  double* l, arena* scratch);
// Basis of the null space of J, n x (n - rank), row-major; orthonormal columns after division of
// the rows by the factors of td_row_scale.
void td_kkt_null_space(const td_kkt* kkt, double* Z);

// Eigenproblems allocate (they belong to analyses, not to evaluation); false: no convergence or no
// memory. K v = w M v with K symmetric, M symmetric positive definite: w ascending (n), V row i is
// the eigenvector of w[i], normalised v'Mv = 1.
bool td_eig_symmetric(const double* K, const double* M, int n, double* w, double* V);
// The same with the lowest w as accurate as the highest, however far apart; those that round-off
// leaves nothing of are 0.
bool td_eig_pencil(const double* K, const double* M, int n, double* w, double* V);
// A v = w v for general A: eigenvalues (re, im); VR (n x n, may be NULL) in LAPACK's packing
// transposed: row i is the real part, for a pair rows i, i+1 are real and imaginary part.
bool td_eig_general(const double* A, int n, double* re, double* im, double* VR);
// Singular values, descending.
bool td_singular_values(const double* A, int rows, int cols, double* s);

// Minimum-norm least-squares solution of A x = b (rows x cols) by singular values; those below
// rcond times the largest count as zero.  Allocates like the eigenproblems.
bool td_least_squares(const double* A, int rows, int cols, double rcond, const double* b,
                      double* x);

#endif
