// The saddle-point system of newton.h.  With Z a basis of the null space of J and dx = y + dp y_p +
// Z z, where J y = -e and J y_p = -ep have minimum norm,
//
//   [ Z'K Z   Z'(Fp + K y_p) ] [ z  ]   [ -Z'(F + K y)  ]
//   [ tx'Z    tp + tx'y_p    ] [ dp ] = [ -g - tx'y     ]
//
// by LU after scaling, or by singular values when that meets a zero pivot; then J'dl = F + K dx +
// Fp dp.
#include <float.h>
#include <math.h>

#include "solve/statics/newton.h"
#include "solve/vectors.h"

// Allocate a system of n unknowns and m rows: one block for its matrices and for the factors of the
// rows.  *saddle is NULL on failure.
td_status td_saddle_new(int n, int m, td_saddle** saddle) {
  *saddle = NULL;
  td_saddle* s = calloc(1, sizeof *s);
  if (!s) return TD_E_NOMEM;
  const size_t N = (size_t)n + 1, kkt = td_kkt_scratch(n, m);
  const size_t own = sizeof(double) * (7 * N * N + 16 * N + (size_t)m + 4) +
                     sizeof(int) * (N + (size_t)m) + 64 * 32;
  const size_t first = (own + kkt + 63) & ~(size_t)63;
  s->block = malloc(first + kkt);
  if (!s->block) {
    free(s);
    return TD_E_NOMEM;
  }
  s->n = n;
  s->m = m;
  s->scratch = (arena){.base = s->block, .size = first};
  s->factors = (arena){.base = (char*)s->block + first, .size = kkt};
  const int nn = (int)(N * N);
  s->one = arena_zeros(&s->scratch, nn);
  s->Z = arena_zeros(&s->scratch, nn);
  s->Kz = arena_zeros(&s->scratch, nn);
  s->K = arena_zeros(&s->scratch, nn);
  s->B = arena_zeros(&s->scratch, nn);
  s->LU = arena_zeros(&s->scratch, nn);
  s->Fp = arena_zeros(&s->scratch, n);
  s->dxp = arena_zeros(&s->scratch, n);
  s->tx = arena_zeros(&s->scratch, n);
  s->row = arena_zeros(&s->scratch, n + 1);
  s->column = arena_zeros(&s->scratch, n + 1);
  s->pivot = arena_ints(&s->scratch, n + 1);
  s->order = arena_ints(&s->scratch, m);
  for (int i = 0; i < n; i++) s->one[area(i, n + 1)] = 1;
  *saddle = s;
  return TD_OK;
}

void td_saddle_free(td_saddle* saddle) {
  if (!saddle) return;
  free(saddle->block);
  free(saddle);
}

void td_saddle_null_space(td_saddle* s, const double* J) {
  arena_close(&s->factors, 0);
  if (s->scale && s->m > 0) {
    // which rows are independent is decided with the scales; the basis itself is orthonormal
    const int rank = td_row_rank(J, s->n, s->m, s->scale, 1e-10, s->order, &s->factors);
    const td_row_scale rows = {s->scale->row, NULL, rank, s->order};
    td_kkt_factor(&s->kkt, s->one, J, s->n, s->m, &rows, 0, &s->factors);
  } else {
    td_kkt_factor(&s->kkt, s->one, J, s->n, s->m, NULL, 1e-10, &s->factors);
  }
  s->free = s->n - s->kkt.rank;
  td_kkt_null_space(&s->kkt, s->Z);
}

void td_saddle_reduce(td_saddle* s, const double* A, double* Az) {
  const arena_mark frame = arena_open(&s->scratch);
  double* AZ = arena_doubles(&s->scratch, s->n * s->free);
  td_mul(A, s->Z, s->n, s->n, s->free, AZ);
  td_mul_tn(s->Z, AZ, s->free, s->n, s->free, Az);
  arena_close(&s->scratch, frame);
}

void td_saddle_particular(td_saddle* s, const double* e, double* y) {
  const arena_mark frame = arena_open(&s->scratch);
  double* zero = arena_zeros(&s->scratch, s->n);
  double* g = arena_doubles(&s->scratch, s->m);
  for (int i = 0; i < s->m; i++) g[i] = -e[i];
  td_kkt_solve(&s->kkt, zero, g, 1, y, NULL, &s->factors);
  arena_close(&s->scratch, frame);
}

void td_saddle_multipliers(td_saddle* s, const double* r, double* l) {
  const arena_mark frame = arena_open(&s->scratch);
  double* f = arena_doubles(&s->scratch, s->n);
  double* x = arena_doubles(&s->scratch, s->n);
  // x - J'l = -r with J x = 0: x is what the constraints cannot balance
  for (int i = 0; i < s->n; i++) f[i] = -r[i];
  td_kkt_solve(&s->kkt, f, NULL, 1, x, l, &s->factors);
  arena_close(&s->scratch, frame);
}

// Largest element of a row or column; 1 where there is none
static double largest_in(const double* a, int n, size_t stride) {
  double top = 0;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(a[(size_t)i * stride]));
  return top > 0 && isfinite(top) ? top : 1;
}

// Factor the bordered matrix B of the file's head for K (n x n) and J (m x n). s->singular tells
// that a pivot is zero up to rounding, s->sign is the sign of the determinant otherwise.
void td_saddle_factor(td_saddle* s, const double* K, const double* J, const td_border* border) {
  // Z'K Z in the upper left of B
  td_saddle_null_space(s, J);
  const int n = s->n, k = s->free, size = k + 1;
  const size_t vector = sizeof(double) * (size_t)n;
  memcpy(s->K, K, sizeof(double) * area(n, n));
  td_saddle_reduce(s, K, s->Kz);
  memset(s->B, 0, sizeof(double) * area(size, size));
  for (int i = 0; i < k; i++)
    memcpy(s->B + area(i, size), s->Kz + area(i, k), sizeof(double) * (size_t)k);

  // last column and row of B; without a border dp = 0 by a unit corner
  double* corner = s->B + area(k, size) + (size_t)k;
  if (border) {
    const arena_mark frame = arena_open(&s->scratch);
    double* column = arena_doubles(&s->scratch, n);
    double* reduced = arena_zeros(&s->scratch, size);
    double* row = arena_zeros(&s->scratch, size);
    memcpy(s->Fp, border->Fp, vector);
    memcpy(s->tx, border->tx, vector);
    td_saddle_particular(s, border->ep, s->dxp);
    td_mul(s->K, s->dxp, n, n, 1, column);
    for (int i = 0; i < n; i++) column[i] += s->Fp[i];
    td_mul_tn(s->Z, column, k, n, 1, reduced);
    td_mul_tn(s->Z, s->tx, k, n, 1, row);
    for (int i = 0; i < k; i++) s->B[area(i, size) + (size_t)k] = reduced[i];
    for (int i = 0; i < k; i++) s->B[area(k, size) + (size_t)i] = row[i];
    *corner = border->tp + inner(s->tx, s->dxp, n);
    arena_close(&s->scratch, frame);
  } else {
    memset(s->Fp, 0, vector);
    memset(s->dxp, 0, vector);
    memset(s->tx, 0, vector);
    *corner = 1;
  }

  // rows, then columns of B scaled to largest elements of one: sizes of pivots mean something
  // whatever the units
  for (int i = 0; i < size; i++) {
    s->row[i] = 1 / largest_in(s->B + area(i, size), size, 1);
    for (int j = 0; j < size; j++) s->B[area(i, size) + (size_t)j] *= s->row[i];
  }
  for (int j = 0; j < size; j++) {
    s->column[j] = 1 / largest_in(s->B + j, size, (size_t)size);
    for (int i = 0; i < size; i++) s->B[area(i, size) + (size_t)j] *= s->column[j];
  }

  // a pivot that round-off could have made counts as zero
  memcpy(s->LU, s->B, sizeof(double) * area(size, size));
  const bool stopped = td_lu(s->LU, size, s->pivot) != 0;
  double smallest = INFINITY;
  for (int i = 0; i < size; i++) smallest = fmin(smallest, fabs(s->LU[area(i, size + 1)]));
  s->least = smallest;
  s->singular = stopped || !(smallest > 4 * DBL_EPSILON * size);
  s->sign = s->singular ? 0 : td_lu_sign(s->LU, s->pivot, size);
}

// Solve for dx (n), dl (m) and dp with the right-hand side -[F; e; g]; least squares where B is
// singular.
void td_saddle_solve(td_saddle* s, const double* F, const double* e, double g, double* dx,
                     double* dl, double* dp) {
  const arena_mark frame = arena_open(&s->scratch);
  const int n = s->n, k = s->free;
  double* r = arena_doubles(&s->scratch, n);
  double* z = arena_zeros(&s->scratch, k + 1);
  double* b = arena_zeros(&s->scratch, k + 1);

  // right-hand side on the null space
  td_saddle_particular(s, e, dx);
  td_mul(s->K, dx, n, n, 1, r);
  for (int i = 0; i < n; i++) r[i] = -r[i] - F[i];
  td_mul_tn(s->Z, r, k, n, 1, z);
  z[k] = -g - inner(s->tx, dx, n);

  for (int i = 0; i <= k; i++) z[i] *= s->row[i];

  // z and dp, in the scales of B
  if (s->singular) {
    memcpy(b, z, sizeof(double) * (size_t)(k + 1));
    if (!td_least_squares(s->B, k + 1, k + 1, 1e-12, b, z))
      memset(z, 0, sizeof(double) * (size_t)(k + 1));
  } else {
    td_lu_solve(s->LU, s->pivot, k + 1, z, 1);
  }

  for (int i = 0; i <= k; i++) z[i] *= s->column[i];

  // dx = y + dp y_p + Z z, then the multipliers from what is left
  td_mul(s->Z, z, n, k, 1, r);
  for (int i = 0; i < n; i++) dx[i] += r[i] + z[k] * s->dxp[i];
  if (dp) *dp = z[k];
  if (dl) {
    td_mul(s->K, dx, n, n, 1, r);
    for (int i = 0; i < n; i++) r[i] += F[i] + z[k] * s->Fp[i];
    td_saddle_multipliers(s, r, dl);
  }
  arena_close(&s->scratch, frame);
}
