// Systems (σ - J) x = b with complex σ, positions eliminated first (shifted.h); those with real
// numbers are in dense_steps.c.  No pivots are exchanged among the positions: dN/dq v of unit
// quaternions is skew, so σ - dN/dq v is regular for every σ with a positive real part.
#include "solve/time/shifted.h"

#include <string.h>

#include "math/dense.h"
#include "math/kernel.h"

struct td_shifted {
  int n, npos;
  bool straight;  // q' are the first of the other states
  double sigma[2];
  double* A;  // sigma - J, the positions eliminated: pairs; straight: its real rows of v' by q, and
              // b_q/sigma, real and imaginary parts apart
  double* rest;  // what is left without the positions, factored
  int* few;      // (n) columns in which a row is not zero
  int* ends;     // (6 npos) of the stretches that hold the numbers of each of the positions' rows
  int pivot[];
};

void td_shifted_free(td_shifted* f) {
  if (f == NULL) return;
  free(f->A);
  free(f);
}

// Memory for systems of n states, the first npos of which are positions.  NULL: no memory.
td_shifted* td_shifted_new(int n, int npos) {
  const size_t N = (size_t)n, rest = (size_t)(n - npos);
  td_shifted* f = calloc(1, sizeof *f + (2 * N + 6 * (size_t)npos) * sizeof(int));
  double* A = malloc((2 * N * N + 2 * rest * rest + 1) * sizeof(double));
  if (f == NULL || A == NULL) {
    free(f);
    free(A);
    return NULL;
  }
  f->n = n;
  f->npos = npos;
  f->A = A;
  f->rest = A + 2 * N * N;
  f->few = f->pivot + n;
  f->ends = f->few + n;
  return f;
}

static double* row_of(const td_shifted* f, int i) { return f->A + 2 * (size_t)f->n * (size_t)i; }

static bool is_zero(const double* x) { return x[0] == 0 && x[1] == 0; }

// x /= d
static void divide(double* x, const double* d) {
  const double size = d[0] * d[0] + d[1] * d[1], re = x[0], im = x[1];
  x[0] = (re * d[0] + im * d[1]) / size;
  x[1] = (im * d[0] - re * d[1]) / size;
}

// First and last (and one) column in [from, to) in which the row is not zero
static void stretch(const double* row, int from, int to, int ends[2]) {
  while (from < to && is_zero(row + 2 * from)) from++;
  while (to > from && is_zero(row + 2 * (to - 1))) to--;
  ends[0] = from;
  ends[1] = to;
}

static void subtract_part(double* y, const double* row, const double* b, const int ends[2]) {
  complex_dot_from(y, row + 2 * ends[0], b + 2 * ends[0], ends[1] - ends[0]);
}

// ---- straight: q' = v -------------------------------------------------------------------------
//
//   sigma x_q - x_v = b_q                    x_q = (b_q + x_v)/sigma
//   -K x_q + (sigma - D) x_v = b_v          (sigma - D - K/sigma) x_v = b_v + K b_q/sigma

static bool is_straight(const td_shifted* f, const double* J) {
  bool straight = f->npos > 0 && f->n >= 2 * f->npos;
  for (int i = 0; i < f->npos && straight; i++, J += f->n)
    for (int j = 0; j < f->n; j++) straight = straight && J[j] == (j == f->npos + i);
  return straight;
}

// Factor the Schur complement of the positions where q' = v, with the lower rows [K D] of J: σ - D
// - K/σ. A keeps K for the right-hand sides.  Returns LAPACK's info, 0 if regular.
static int factor_straight(td_shifted* f, const double* J) {
  const int n = f->n, npos = f->npos, rest = n - npos;
  double one[2] = {1, 0};
  divide(one, f->sigma);
  for (int i = 0; i < rest; i++) {
    const double *K = J + (size_t)(npos + i) * (size_t)n, *D = K + npos;
    double* row = f->rest + 2 * (size_t)i * (size_t)rest;
    for (int j = 0; j < npos; j++) {
      row[2 * j] = -D[j] - K[j] * one[0];
      row[2 * j + 1] = -K[j] * one[1];
    }
    for (int j = npos; j < rest; j++) row[2 * j] = -D[j], row[2 * j + 1] = 0;
    row[2 * i] += f->sigma[0];
    row[2 * i + 1] += f->sigma[1];
    memcpy(f->A + (size_t)i * (size_t)npos, K, (size_t)npos * sizeof(double));
  }
  return td_lu_complex(f->rest, rest, f->pivot);
}

// Solve with factor_straight's factors, in place: x_v = S⁻¹ (b_v + K b_q/σ), x_q = (b_q + x_v)/σ.
static void solve_straight(td_shifted* f, double* b) {
  const int npos = f->npos, rest = f->n - npos;
  double *re = f->A + (size_t)rest * (size_t)npos, *im = re + npos, *x = b + 2 * npos;
  for (int i = 0; i < npos; i++) {
    divide(b + 2 * i, f->sigma);
    re[i] = b[2 * i];
    im[i] = b[2 * i + 1];
  }
  for (int i = 0; i < rest; i++) {
    const double* K = f->A + (size_t)i * (size_t)npos;
    x[2 * i] += dot(K, re, npos);
    x[2 * i + 1] += dot(K, im, npos);
  }
  td_lu_complex_solve(f->rest, f->pivot, rest, x);
  for (int i = 0; i < npos; i++) {
    double part[2] = {x[2 * i], x[2 * i + 1]};
    divide(part, f->sigma);
    b[2 * i] += part[0];
    b[2 * i + 1] += part[1];
  }
}

// ---- any --------------------------------------------------------------------------------------

// Eliminate the positions (at once where q' = v, else row by row over the nonzero entries), then
// factor the rest with LAPACK. TD_E_SINGULAR if a pivot is zero.
td_status td_shifted_factor(td_shifted* f, const double* J, double re, double im) {
  const int n = f->n, npos = f->npos, rest = n - npos;
  f->sigma[0] = re;
  f->sigma[1] = im;
  f->straight = is_straight(f, J) && (re != 0 || im != 0);
  if (f->straight) return factor_straight(f, J) == 0 ? TD_OK : TD_E_SINGULAR;

  // σ - J
  for (int i = 0; i < n; i++, J += n) {
    double* row = row_of(f, i);
    for (int j = 0; j < n; j++) {
      row[2 * j] = -J[j];
      row[2 * j + 1] = 0;
    }
    row[2 * i] += re;
    row[2 * i + 1] = im;
  }

  // eliminate the positions without pivoting; the multipliers stay in their columns
  for (int i = 0; i < npos; i++) {
    const double* pivot = row_of(f, i);
    int nfew = 0;
    if (is_zero(pivot + 2 * i)) return TD_E_SINGULAR;
    for (int j = i + 1; j < n; j++)
      if (!is_zero(pivot + 2 * j)) f->few[nfew++] = 2 * j;
    for (int k = i + 1; k < n; k++) {
      double* row = row_of(f, k);
      if (is_zero(row + 2 * i)) continue;
      divide(row + 2 * i, pivot + 2 * i);
      for (int j = 0; j < nfew; j++)
        complex_dot_from(row + f->few[j], row + 2 * i, pivot + f->few[j], 1);
    }
  }
  for (int i = 0; i < npos; i++) {
    // note the nonzero stretches of each row: before the pivot, among positions, in the rest
    stretch(row_of(f, i), 0, i, f->ends + 6 * i);
    stretch(row_of(f, i), i + 1, npos, f->ends + 6 * i + 2);
    stretch(row_of(f, i), npos, n, f->ends + 6 * i + 4);
  }

  // the other states by LAPACK
  for (int i = 0; i < rest; i++)
    memcpy(f->rest + 2 * (size_t)i * (size_t)rest, row_of(f, npos + i) + 2 * npos,
           2 * (size_t)rest * sizeof(double));
  return td_lu_complex(f->rest, rest, f->pivot) == 0 ? TD_OK : TD_E_SINGULAR;
}

// Forward substitution through the positions, LAPACK for the rest, back substitution.
void td_shifted_solve(td_shifted* f, double* b) {
  const int n = f->n, npos = f->npos;
  if (f->straight) {
    solve_straight(f, b);
    return;
  }
  for (int i = 0; i < npos; i++) subtract_part(b + 2 * i, row_of(f, i), b, f->ends + 6 * i);
  for (int i = npos; i < n; i++) complex_dot_from(b + 2 * i, row_of(f, i), b, npos);
  td_lu_complex_solve(f->rest, f->pivot, n - npos, b + 2 * npos);
  for (int i = npos - 1; i >= 0; i--) {
    const double* row = row_of(f, i);
    subtract_part(b + 2 * i, row, b, f->ends + 6 * i + 2);
    subtract_part(b + 2 * i, row, b, f->ends + 6 * i + 4);
    divide(b + 2 * i, row + 2 * i);
  }
}
