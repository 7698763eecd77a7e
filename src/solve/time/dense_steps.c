// The dense maker of the linear systems of implicit steps:
//
//   1 - γ J = [ 1 - γ dN/dq v     -γ N         ]    positions:  few numbers in each row
//             [ -γ dv'/dq         1 - γ dv'/dv ]    velocities: full
//
// The positions are eliminated first, over the few numbers of their rows: the work is that of half
// the order.  No pivots are exchanged there: dN/dq v of unit quaternions is skew, so 1 - γ dN/dq v
// has a positive definite symmetric part.  Systems with complex shifts are in shifted.c.
#include "solve/time/dense_steps.h"

#include <string.h>

#include "math/dense.h"
#include "math/kernel.h"
#include "solve/vectors.h"

struct td_dense_steps {
  const td_ode* ode;
  double *J, *A;  // n x n; the factors of the positions' rows
  double* rest;   // the rows and columns of the other states, factored
  int* few;       // (n) columns in which a row is not zero
  int* ends;      // (6 npos) of the stretches that hold the numbers of each of the positions' rows
  int pivot[];
};

void td_dense_steps_free(td_dense_steps* f) {
  if (f == NULL) return;
  free(f->J);
  free(f);
}

// Memory for J, the partly eliminated matrix and the factors of the rest.  NULL: no memory.
td_dense_steps* td_dense_steps_new(const td_ode* ode) {
  const size_t n = (size_t)ode->n, npos = (size_t)ode->npos, rest = n - npos;
  td_dense_steps* f = calloc(1, sizeof *f + (2 * n + 6 * npos) * sizeof(int));
  if (f != NULL) f->J = malloc((2 * n * n + rest * rest + 1) * sizeof(double));
  if (f == NULL || f->J == NULL) {
    free(f);
    return NULL;
  }
  f->ode = ode;
  f->A = f->J + n * n;
  f->rest = f->A + n * n;
  f->few = f->pivot + n;
  f->ends = f->few + n;
  return f;
}

static td_status linearise(void* ctx, double t, const double* y) {
  const td_dense_steps* f = ctx;
  TD_TRY(f->ode->jacobian(f->ode->ctx, t, y, f->J));
  return all_finite(f->J, area(f->ode->n, f->ode->n)) ? TD_OK : TD_E_DIVERGED;
}

static td_status product(void* ctx, const double* x, double* y) {
  const td_dense_steps* f = ctx;
  const int n = f->ode->n;
  for (int i = 0; i < n; i++) y[i] = inner(f->J + area(i, n), x, n);
  return TD_OK;
}

// First and last (and one) column in [from, to) in which the row is not zero.
static void stretch(const double* row, int from, int to, int ends[2]) {
  while (from < to && row[from] == 0) from++;
  while (to > from && row[to - 1] == 0) to--;
  ends[0] = from;
  ends[1] = to;
}

// Eliminate the positions from 1 - γ J, then factor the rest with LAPACK. TD_E_SINGULAR if a pivot
// is zero.
static td_status factor(void* ctx, double gamma) {
  td_dense_steps* f = ctx;
  const int n = f->ode->n, npos = f->ode->npos, rest = n - npos;
  double* A = f->A;
  for (size_t i = 0; i < area(n, n); i++) A[i] = -gamma * f->J[i];
  for (int i = 0; i < n; i++) A[area(i, n) + (size_t)i] += 1;

  // eliminate the positions without pivoting; the multipliers stay in their columns
  for (int i = 0; i < npos; i++) {
    const double* pivot = A + area(i, n);
    int nfew = 0;
    if (pivot[i] == 0) return TD_E_SINGULAR;
    for (int j = i + 1; j < n; j++)
      if (pivot[j] != 0) f->few[nfew++] = j;
    for (int k = i + 1; k < n; k++) {
      double* row = A + area(k, n);
      if (row[i] == 0) continue;
      row[i] /= pivot[i];
      for (int j = 0; j < nfew; j++) row[f->few[j]] -= row[i] * pivot[f->few[j]];
    }
  }
  for (int i = 0; i < npos; i++) {
    const double* row = A + area(i, n);

    // note the nonzero stretches of each row: before the pivot, among positions, in the rest
    stretch(row, 0, i, f->ends + 6 * i);
    stretch(row, i + 1, npos, f->ends + 6 * i + 2);
    stretch(row, npos, n, f->ends + 6 * i + 4);
  }

  // the other states by LAPACK
  for (int i = 0; i < rest; i++)
    memcpy(f->rest + area(i, rest), A + area(npos + i, n) + npos, (size_t)rest * sizeof(double));
  return td_lu(f->rest, rest, f->pivot) == 0 ? TD_OK : TD_E_SINGULAR;
}

static double part(const double* row, const double* y, const int ends[2]) {
  return dot(row + ends[0], y + ends[0], ends[1] - ends[0]);
}

static void solve(void* ctx, double* y) {
  const td_dense_steps* f = ctx;
  const int n = f->ode->n, npos = f->ode->npos;
  for (int i = 0; i < npos; i++) y[i] -= part(f->A + area(i, n), y, f->ends + 6 * i);
  for (int i = npos; i < n; i++) y[i] -= dot(f->A + area(i, n), y, npos);
  td_lu_solve(f->rest, f->pivot, n - npos, y + npos, 1);
  for (int i = npos - 1; i >= 0; i--) {
    const double* row = f->A + area(i, n);
    const int* ends = f->ends + 6 * i;
    y[i] = (y[i] - part(row, y, ends + 2) - part(row, y, ends + 4)) / row[i];
  }
}

const td_step_ops td_dense_step_ops = {linearise, product, factor, solve};
