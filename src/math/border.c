// Block elimination of a bordered matrix; the equations are in border.h.
#include "math/border.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

// A row is independent if its pivot of S + d exceeds d by this factor.
static const double independent = 100;

struct td_border {
  int n, rows, rank;
  const int *ptr, *col;
  td_fronts* A;
  double *W, *J2, *S, *LU;  // W' (rows x n), J2 compressed, S and factors of S + d (column-major)
  lapack_int* pivot;
};

// Allocate W, J2, S and its factors for a border of `rows` rows in the pattern ptr, col, which is
// kept.  NULL: no memory.
td_border* td_border_new(int n, int rows, const int* ptr, const int* col) {
  const size_t r = (size_t)rows, values = (size_t)ptr[rows];
  td_border* b = calloc(1, sizeof *b);
  if (!b) return NULL;
  *b = (td_border){.n = n, .rows = rows, .ptr = ptr, .col = col};
  b->W = malloc((r * (size_t)n + values + 2 * r * r + 1) * sizeof(double));
  b->pivot = malloc((r + 1) * sizeof(lapack_int));
  if (!b->W || !b->pivot) {
    td_border_free(b);
    return NULL;
  }
  b->J2 = b->W + r * (size_t)n;
  b->S = b->J2 + values;
  b->LU = b->S + r * r;
  return b;
}

void td_border_free(td_border* b) {
  if (!b) return;
  free(b->W);
  free(b->pivot);
  free(b);
}

// Row i of J2 times x.
static double row_times(const td_border* b, int i, const double* x) {
  double sum = 0;
  for (int k = b->ptr[i]; k < b->ptr[i + 1]; k++) sum += b->J2[k] * x[b->col[k]];
  return sum;
}

// LU of S + d; returns the number of pivots above `least`, -1 if a pivot is zero.
static int factor_schur(td_border* b, double d, double least) {
  const int r = b->rows;
  int rank = 0;
  memcpy(b->LU, b->S, (size_t)r * (size_t)r * sizeof(double));
  for (int i = 0; i < r; i++) b->LU[i * r + i] += d;
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, r, r, b->LU, r, b->pivot) != 0) return -1;
  for (int i = 0; i < r; i++) rank += fabs(b->LU[i * r + i]) > least;
  return rank;
}

// Compute W = A⁻¹ J1' and factor S = J2 W + d.
td_status td_border_factor(td_border* b, td_fronts* A, const double* J1, const double* J2,
                           double d) {
  const int n = b->n, r = b->rows;
  b->A = A;
  memcpy(b->J2, J2, (size_t)b->ptr[r] * sizeof(double));

  // W = A⁻¹ J1'
  memset(b->W, 0, (size_t)r * (size_t)n * sizeof(double));
  for (int i = 0; i < r; i++) {
    double* w = b->W + (size_t)i * (size_t)n;
    for (int k = b->ptr[i]; k < b->ptr[i + 1]; k++) w[b->col[k]] += J1[k];
    td_fronts_solve(A, w);
  }

  // S = J2 W; without d if all rows are independent
  for (int j = 0; j < r; j++)
    for (int i = 0; i < r; i++) b->S[j * r + i] = row_times(b, i, b->W + (size_t)j * (size_t)n);
  b->rank = factor_schur(b, d, independent * d);
  if (b->rank == r && factor_schur(b, 0, 0) < r) return TD_E_SINGULAR;
  return b->rank < 0 ? TD_E_SINGULAR : TD_OK;
}

// x0 = A⁻¹ f,  l = (S + d)⁻¹ (g - J2 x0),  x = x0 + W l
void td_border_solve(td_border* b, double* z) {
  double* l = z + b->n;
  td_fronts_solve(b->A, z);
  for (int i = 0; i < b->rows; i++) l[i] -= row_times(b, i, z);
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', b->rows, 1, b->LU, b->rows, b->pivot, l, b->rows);
  for (int i = 0; i < b->rows; i++) {
    const double* w = b->W + (size_t)i * (size_t)b->n;
    for (int j = 0; j < b->n; j++) z[j] += l[i] * w[j];
  }
}

int td_border_rank(const td_border* b) { return b->rank; }
