// Dense linear algebra.  Matrices are row-major.  Nothing above the eigenproblems allocates: work
// space comes from the caller's arena, and each *_scratch function returns the bytes needed.
#ifndef TD_DENSE_H
#define TD_DENSE_H

#include "base/arena.h"

// OpenBLAS allocates a buffer of 128 MB at its first call and retries forever if it gets none.
// Report whether the limits of the process (ulimit -v, -d) leave room for it; if so, take it.
bool td_blas_room(void);

// C = A B for A rows x inner and B inner x cols; C = A'B for A inner x rows.  C is neither A nor B.

void td_mul(const double* A, const double* B, int rows, int inner, int cols, double* C);
void td_mul_tn(const double* A, const double* B, int rows, int inner, int cols, double* C);

// Factor A = L L' in the lower triangle; the upper one is not touched.  Returns 0, or the 1-based
// index of the first pivot that is not above tol times its diagonal element of A: this test does
// not depend on units.
int td_chol(double* A, int n, double tol);
// Solve A X = B for B n x nrhs, in place.
void td_chol_solve(const double* L, int n, double* B, int nrhs);

// Factor A P = L U with unit U (LAPACK factors A', as it reads row-major storage).  Returns 0, or
// the 1-based index of the first zero pivot.
int td_lu(double* A, int n, int* pivot);
// Factor as td_lu; returns the estimated reciprocal of the condition number of A' in the 1-norm, 0
// if A is singular.
double td_lu_condition(double* A, int n, int* pivot);
void td_lu_solve(const double* LU, const int* pivot, int n, double* B, int nrhs);
// td_lu and td_lu_solve for complex numbers, stored as pairs [re, im]; one right-hand side.
int td_lu_complex(double* A, int n, int* pivot);
void td_lu_complex_solve(const double* LU, const int* pivot, int n, double* b);
int td_lu_sign(const double* LU, const int* pivot, int n);  // sign of the determinant, 0: singular

// The constrained system
//
//   [ M  J' ] [ x  ]   [ f ]
//   [ J  0  ] [ -l ] = [ g ]
//
// is solved by the null-space method.  M (n x n) is symmetric and positive definite on the null
// space of J; J (m x n) may have any rank.  Rows and columns of J are scaled; J' = Q R P' with
// column pivoting gives the rank r; x = Q [y; z] with R'y = P'g, and z from the lower right block
// of Q'MQ by Cholesky.  Redundant rows must be consistent; l is then the minimum-norm multiplier.
// Zero rows of J are skipped (their l is 0).  With m = 0 the method is plain Cholesky.

// Scales for the decision on the rank of J.  A row that should be zero may hold the rounding error
// of a difference of two large numbers; only the size of those numbers shows that it is zero.
// Without scales (NULL) each row is scaled by its own length.
typedef struct td_row_scale {
  const double* row;  // (m) size of the numbers from which a row was computed; 0: an empty row
  const double* col;  // (n) factors of the columns, NULL: 1
  int most;           // upper bound of the rank, found at a nearby state that meets the
                      // constraints; -1: unknown
  const int* order;   // (most) independent rows found there, preferred as pivots; NULL: any
} td_row_scale;
// Number of independent rows: pivots of the QR factorisation above tol.  `order` (m, may be NULL)
// gets their indices.  td_kkt_factor decides with the same code.
int td_row_rank(const double* J, int n, int m, const td_row_scale* scale, double tol, int* order,
                arena* scratch);

typedef struct td_kkt {
  int n, m, rank;
  int singular;         // 1: the lower right block of Q'MQ is not positive definite
  double smallest;      // smallest pivot of that block relative to its diagonal element
  double* null_vector;  // (n) when singular: a direction in x that M does not resist, else NULL
  // internal, in the arena given to td_kkt_factor
  double *QR, *tau;   // J' = Q R P' of the `nrow` rows kept, column-major as in LAPACK
  double *W, *wtau;   // redundant rows: QR of the nrow x rank matrix J Y, else NULL
  double *C, *L;      // Q'MQ and the Cholesky factor of its lower right block
  double* length;     // (nrow) sizes of the rows kept
  const double* col;  // (n) factors of the columns, NULL: 1
  int *perm, *rows;   // P, and which rows of J were kept
  int nrow;
} td_kkt;
// Operations of LAPACK for large systems; NULL in exported programs, which have no LAPACK.
typedef struct td_large_ops {
  // X = Q'X, or Q X, for n x cols row-major X and Q of `count` reflections in the columns of QR
  void (*apply)(const double* QR, const double* tau, int n, int count, bool transposed, double* X,
                int cols, double* work, int lwork);
  // Pivoted QR of n x m column-major A; columns with perm != 0 come first.  On return perm[k] is
  // the column of A that became column k
  void (*pivoted)(double* A, int n, int m, int* perm, double* tau, double* work, int lwork);
  // B -= C X with rows x inner C, whose rows are ld long, and B rows x cols
  void (*subtract)(const double* C, int ld, int rows, int inner, const double* X, double* B,
                   int cols);
} td_large_ops;
extern const td_large_ops* const td_large;

size_t td_kkt_scratch(int n, int m);  // bytes for the factors and the solves
// Factor the system; reads the lower triangle of M.  The factors live in the arena and stay valid
// until it is closed below the mark at the call.
void td_kkt_factor(td_kkt* kkt, const double* M, const double* J, int n, int m,
                   const td_row_scale* scale, double rank_tol, arena* scratch);
// Solve for nrhs right-hand sides: f (n x nrhs, row-major), g (m x nrhs) or NULL for zero; x (n x
// nrhs, may be f), l (m x nrhs) or NULL.  x and l are NaN when the system is singular.
void td_kkt_solve(const td_kkt* kkt, const double* f, const double* g, int nrhs, double* x,
                  double* l, arena* scratch);
// Basis of the null space of J, n x (n - rank), row-major; orthonormal columns after division of
// the rows by the factors of td_row_scale.
void td_kkt_null_space(const td_kkt* kkt, double* Z);

// Eigenproblems serve analyses and allocate; false: no convergence, no memory or numbers that are
// not finite. Solve K v = w M v with K symmetric, M symmetric positive definite: w ascending (n);
// row i of V is the eigenvector of w[i], normalised to v'Mv = 1.
bool td_eig_symmetric(const double* K, const double* M, int n, double* w, double* V);
// Solve K v = w M v with the lowest w as accurate as the highest, however far apart; eigenvalues
// below their own rounding error are 0.
bool td_eig_pencil(const double* K, const double* M, int n, double* w, double* V);
// Solve A v = w v for general A: eigenvalues (re, im), eigenvectors in the rows of VR (n x n, may
// be NULL); for a complex pair i, i+1, row i is the real and row i+1 the imaginary part.
bool td_eig_general(const double* A, int n, double* re, double* im, double* VR);
// Singular values, descending.
bool td_singular_values(const double* A, int rows, int cols, double* s);
// The same with right singular vectors: row k of V (cols x cols) belongs to s[k]; rows >= cols.
bool td_right_singular(const double* A, int rows, int cols, double* s, double* V);

// Minimum-norm least-squares solution of A x = b (rows x cols) by singular values; those below
// rcond times the largest count as zero.  Allocates.
bool td_least_squares(const double* A, int rows, int cols, double rcond, const double* b,
                      double* x);

#endif
