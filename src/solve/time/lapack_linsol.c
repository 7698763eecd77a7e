// A SUNLinearSolver: P A = L U once per setup, two triangular solves per Newton iteration.
//
//   A = [ 1 - c dN/dq v     -c N         ]    positions:  few numbers in each row
//       [ -c dv'/dq         1 - c dv'/dv ]    velocities: full
//
// The positions are eliminated first, over the few numbers of their rows: the work is that of half
// the order.  No pivots are exchanged there: dN/dq v of unit quaternions is skew, so 1 - c dN/dq v
// has a positive definite symmetric part.
#include "solve/time/lapack_linsol.h"

#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "math/dense.h"
#include "math/kernel.h"
#include "solve/time/linsol.h"

typedef struct lu {
  td_linsol base;
  int n, npos;
  int* few;      // (n) columns in which a row is not zero
  int* ends;     // (6 npos) of the stretches that hold the numbers of each of the positions' rows
  double* rest;  // what is left of A without the positions, factored
  int pivot[];
} lu;

// Rows below i minus multiples of row i, whose numbers are at `few`; the multiples stay in column
// i.
static void eliminate(double* A, int n, int i, int* few) {
  const double* pivot = A + (size_t)i * (size_t)n;
  int nfew = 0;
  for (int j = i + 1; j < n; j++) {
    if (pivot[j] != 0) few[nfew++] = j;
  }
  for (int k = i + 1; k < n; k++) {
    double* row = A + (size_t)k * (size_t)n;
    if (row[i] == 0) continue;
    row[i] /= pivot[i];
    for (int j = 0; j < nfew; j++) row[few[j]] -= row[i] * pivot[few[j]];
  }
}

// First and last (and one) column in [from, to) in which the row is not zero.
static void stretch(const double* row, int from, int to, int ends[2]) {
  while (from < to && row[from] == 0) from++;
  while (to > from && row[to - 1] == 0) to--;
  ends[0] = from;
  ends[1] = to;
}

static double part(const double* row, const double* y, const int ends[2]) {
  return dot(row + ends[0], y + ends[0], ends[1] - ends[0]);
}

static int setup(SUNLinearSolver s, SUNMatrix matrix) {
  lu* f = s->content;
  const int n = f->n, rest = n - f->npos;
  double* A = SUNDenseMatrix_Data(matrix);
  ++*f->base.factorisations;
  for (int i = 0; i < f->npos; i++) {
    f->base.last_flag = i + 1;
    if (A[(size_t)i * (size_t)n + (size_t)i] == 0) return SUNLS_LUFACT_FAIL;
    eliminate(A, n, i, f->few);
  }
  for (int i = 0; i < f->npos; i++) {
    const double* row = A + (size_t)i * (size_t)n;
    stretch(row, 0, i, f->ends + 6 * i);
    stretch(row, i + 1, f->npos, f->ends + 6 * i + 2);
    stretch(row, f->npos, n, f->ends + 6 * i + 4);
  }
  for (int i = 0; i < rest; i++) {
    memcpy(f->rest + (size_t)i * (size_t)rest, A + (size_t)(f->npos + i) * (size_t)n + f->npos,
           (size_t)rest * sizeof(double));
  }
  f->base.last_flag = td_lu(f->rest, rest, f->pivot);
  return f->base.last_flag == 0 ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

static int solve(SUNLinearSolver s, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tol) {
  (void)tol;
  const lu* f = s->content;
  const int n = f->n, npos = f->npos;
  const double* A = SUNDenseMatrix_Data(matrix);
  double* y = N_VGetArrayPointer(x);
  N_VScale(1, b, x);
  for (int i = 0; i < npos; i++) y[i] -= part(A + (size_t)i * (size_t)n, y, f->ends + 6 * i);
  for (int i = npos; i < n; i++) y[i] -= dot(A + (size_t)i * (size_t)n, y, npos);
  td_lu_solve(f->rest, f->pivot, n - npos, y + npos, 1);
  for (int i = npos - 1; i >= 0; i--) {
    const double* row = A + (size_t)i * (size_t)n;
    const int* ends = f->ends + 6 * i;
    y[i] = (y[i] - part(row, y, ends + 2) - part(row, y, ends + 4)) / row[i];
  }
  return SUNLS_SUCCESS;
}

static int release(SUNLinearSolver s) {
  free(((lu*)s->content)->rest);
  free(s->content);
  s->content = NULL;
  SUNLinSolFreeEmpty(s);
  return SUNLS_SUCCESS;
}

SUNLinearSolver td_lapack_linsol(int n, int npos, long* factorisations, SUNContext context) {
  const size_t rest = (size_t)(n - npos);
  lu* f = calloc(1, sizeof(lu) + (2 * (size_t)n + 6 * (size_t)npos) * sizeof(int));
  double* block = malloc((rest * rest + 1) * sizeof(double));
  SUNLinearSolver s = f != NULL && block != NULL ? td_linsol_new(&f->base, context) : NULL;
  if (s == NULL) {
    free(block);
    free(f);
    return NULL;
  }

  f->n = n;
  f->npos = npos;
  f->few = f->pivot + n;
  f->ends = f->few + n;
  f->rest = block;
  f->base.factorisations = factorisations;
  s->ops->setup = setup;
  s->ops->solve = solve;
  s->ops->free = release;
  return s;
}
