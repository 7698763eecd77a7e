// Riccati and Lyapunov equations by ordered Schur forms, reachability by the staircase, frequency
// response.
//
// The stable invariant subspace [U1; U2] of the Hamiltonian matrix
//
//   H = [  A  -G  ]
//       [ -Q  -A' ]        gives X = U2 U1^-1           [A. Laub, IEEE Trans. AC 24 (1979) 913]
//
// after x = T x^ (T diagonal, balances A) and X = s X^ with s^2 = |Q| / |G|, so that the blocks of
// H are of like size.  Newton's method then removes what rounding has left [D. Kleinman, IEEE
// Trans. AC 13 (1968) 114]:
//
//   (A - G X)'D + D (A - G X) + R(X) = 0,   X <- X + D
#include "riccati.h"

#include <lapacke.h>
#include <math.h>

static size_t area(int rows, int cols) { return (size_t)rows * (size_t)cols; }

static double top(const double* A, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(A[i])) return INFINITY;
    most = fmax(most, fabs(A[i]));
  }
  return most;
}

static void symmetrise(double* X, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double mean = (X[i * n + j] + X[j * n + i]) / 2;
      X[i * n + j] = X[j * n + i] = mean;
    }
}

// Scales that balance A: x = diag(t) x^
static bool balance(const double* A, int n, double* t, double* scratch) {
  lapack_int low, high;
  memcpy(scratch, A, sizeof(double) * area(n, n));
  // row-major A is A' to LAPACK, whose scales are the inverse ones
  if (LAPACKE_dgebal(LAPACK_COL_MAJOR, 'S', n, scratch, n, &low, &high, t) != 0) return false;
  for (int i = 0; i < n; i++) t[i] = 1 / t[i];
  return true;
}

// ---- Lyapunov ---------------------------------------------------------------------------------

// With A' = U S U':  S Y + Y S' = -U'Q U,  X = U Y U'.  Row-major A is A' to LAPACK; what it calls
// U by columns is U' to us.
static td_status lyapunov(const double* A, const double* Q, int n, double* X, double* block) {
  double *S = block, *U = S + area(n, n), *Y = U + area(n, n), *P = Y + area(n, n),
         *re = P + area(n, n), *im = re + n, scale = 1;
  lapack_int unused;
  memcpy(S, A, sizeof(double) * area(n, n));
  if (LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', NULL, n, S, n, &unused, re, im, U, n) != 0)
    return TD_E_DIVERGED;
  td_mul(U, Q, n, n, n, P);  // U'Q in LAPACK's terms
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += P[i * n + k] * U[j * n + k];
      Y[j * n + i] = -sum;
    }
  const lapack_int info =
      LAPACKE_dtrsyl(LAPACK_COL_MAJOR, 'N', 'T', 1, n, n, S, n, S, n, Y, n, &scale);
  if (info != 0) return info == 1 ? TD_E_SINGULAR : TD_E_DIVERGED;
  if (!(scale > 0) || !isfinite(top(Y, area(n, n)))) return TD_E_SINGULAR;
  td_mul_tn(U, Y, n, n, n, P);
  td_mul(P, U, n, n, n, X);
  for (size_t i = 0; i < area(n, n); i++) X[i] /= scale;
  symmetrise(X, n);
  return TD_OK;
}

td_status td_lyapunov(const double* A, const double* Q, int n, double* X) {
  if (n == 0) return TD_OK;
  if (!isfinite(top(A, area(n, n)) + top(Q, area(n, n)))) return TD_E_DIVERGED;
  double* block = malloc(sizeof(double) * (4 * area(n, n) + 2 * (size_t)n));
  if (!block) return TD_E_NOMEM;
  const td_status status = lyapunov(A, Q, n, X, block);
  free(block);
  return status;
}

// ---- Riccati ----------------------------------------------------------------------------------

// R = A'X + X A - X G X + Q; returns its largest element relative to the largest of its terms.
static double riccati_residual(const double* A, const double* G, const double* Q, const double* X,
                               int n, double* R, double* P, double* S) {
  td_mul(X, A, n, n, n, P);
  td_mul(X, G, n, n, n, S);
  td_mul(S, X, n, n, n, R);
  const double size = fmax(fmax(top(P, area(n, n)), top(R, area(n, n))), top(Q, area(n, n)));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      R[i * n + j] = P[i * n + j] + P[j * n + i] - R[i * n + j] + Q[i * n + j];
  symmetrise(R, n);
  return size > 0 ? top(R, area(n, n)) / size : 0;
}

static lapack_logical is_stable(const double* re, const double* im) {
  (void)im;
  return *re < 0;
}

// X of the balanced problem from the Schur form of H; block 8 n^2 + 4 n.
static td_status schur_solution(const double* A, const double* G, const double* Q, int n, double* X,
                                double* block, lapack_int* pivot) {
  const int N = 2 * n;
  double *H = block, *U = H + area(N, N), *re = U + area(N, N), *im = re + N;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      H[j * N + i] = A[i * n + j];
      H[(n + j) * N + i] = -G[i * n + j];
      H[j * N + n + i] = -Q[i * n + j];
      H[(n + j) * N + n + i] = -A[j * n + i];
    }
  lapack_int stable;
  const lapack_int info =
      LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'S', is_stable, N, H, N, &stable, re, im, U, N);
  if (info != 0 && info != N + 2) return info == N + 1 ? TD_E_SINGULAR : TD_E_DIVERGED;
  if (stable != n) return TD_E_SINGULAR;

  // X U1 = U2, that is U1'X' = U2': row-major U1' is LAPACK's U1
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      H[j * n + i] = U[i * N + j];  // column-major (U1')
      X[j * n + i] = U[i * N + n + j];
    }
  // an unstable motion out of reach leaves U1 singular but for rounding
  const double size = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, H, n);
  double rcond = 0;
  if (LAPACKE_dgesv(LAPACK_COL_MAJOR, n, n, H, n, pivot, X, n) != 0) return TD_E_SINGULAR;
  if (LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, H, n, size, &rcond) != 0) return TD_E_DIVERGED;
  if (rcond < 1e-14) return TD_E_SINGULAR;
  symmetrise(X, n);
  return isfinite(top(X, area(n, n))) ? TD_OK : TD_E_SINGULAR;
}

// Newton's method while the residual falls, a few times at most.
static double refine(const double* A, const double* G, const double* Q, int n, double* X,
                     double* block) {
  double *R = block, *P = R + area(n, n), *S = P + area(n, n), *D = S + area(n, n),
         *Y = D + area(n, n);
  double residual = riccati_residual(A, G, Q, X, n, R, P, S);
  for (int k = 0; k < 4 && residual > 0; k++) {
    td_mul(G, X, n, n, n, P);
    for (size_t i = 0; i < area(n, n); i++) P[i] = A[i] - P[i];
    if (td_lyapunov(P, R, n, D) != TD_OK) break;
    for (size_t i = 0; i < area(n, n); i++) Y[i] = X[i] + D[i];
    const double next = riccati_residual(A, G, Q, Y, n, R, P, S);
    if (!(next < residual)) break;
    memcpy(X, Y, sizeof(double) * area(n, n));
    residual = next;
  }
  return residual;
}

// Balance, solve, scale back, refine; block 14 n^2 + 8 n.
static td_status riccati(const double* A, const double* G, const double* Q, int n, double* X,
                         double* residual, double* block, lapack_int* pivot) {
  double *As = block, *Gs = As + area(n, n), *Qs = Gs + area(n, n), *t = Qs + area(n, n),
         *rest = t + n;
  if (!balance(A, n, t, As)) return TD_E_DIVERGED;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      As[i * n + j] = A[i * n + j] / t[i] * t[j];
      Gs[i * n + j] = G[i * n + j] / t[i] / t[j];
      Qs[i * n + j] = Q[i * n + j] * t[i] * t[j];
    }
  const double g = top(Gs, area(n, n)), q = top(Qs, area(n, n));
  const double s = g > 0 && q > 0 ? sqrt(q / g) : 1;
  for (size_t i = 0; i < area(n, n); i++) Gs[i] *= s, Qs[i] /= s;
  TD_TRY(schur_solution(As, Gs, Qs, n, X, rest, pivot));
  refine(As, Gs, Qs, n, X, rest);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) X[i * n + j] *= s / t[i] / t[j];
  const double left = refine(A, G, Q, n, X, rest);
  if (residual) *residual = left;
  return TD_OK;
}

td_status td_riccati(const double* A, const double* G, const double* Q, int n, double* X,
                     double* residual) {
  if (residual) *residual = 0;
  if (n == 0) return TD_OK;
  if (!isfinite(top(A, area(n, n)) + top(G, area(n, n)) + top(Q, area(n, n)))) return TD_E_DIVERGED;
  double* block = malloc(sizeof(double) * (14 * area(n, n) + 8 * (size_t)n));
  lapack_int* pivot = malloc(sizeof(lapack_int) * (size_t)n);
  const td_status status =
      block && pivot ? riccati(A, G, Q, n, X, residual, block, pivot) : TD_E_NOMEM;
  free(block);
  free(pivot);
  return status;
}

// ---- reachability -----------------------------------------------------------------------------

// One stair: B = U S V' (n x m), r singular values above `zero`; then of U'A U the lower left
// (n-r) x r block is the next B and the lower right the next A.
static td_status stair(double* A, double* B, int n, int m, double zero, int* rank, double* block) {
  const int k = min_int(n, m);
  double *S = block, *U = S + area(n, m), *P = U + area(n, n), *sigma = P + area(n, n),
         *super = sigma + k, *C = super + k;
  memcpy(S, B, sizeof(double) * area(n, m));
  const lapack_int info = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'N', n, m, S, m, sigma, U, n, NULL,
                                         max_int(m, 1), super);
  if (info != 0) return TD_E_DIVERGED;
  *rank = 0;
  while (*rank < k && sigma[*rank] > zero) (*rank)++;
  const int r = *rank, left = n - r;
  if (r == 0) return TD_OK;
  td_mul(A, U, n, n, n, P);
  td_mul_tn(U, P, n, n, n, C);
  for (int i = 0; i < left; i++) {
    for (int j = 0; j < r; j++) B[i * r + j] = C[(r + i) * n + j];
    for (int j = 0; j < left; j++) A[i * left + j] = C[(r + i) * n + r + j];
  }
  return TD_OK;
}

static td_status climb(double* A, double* B, int n, int m, double zero, int* rank, double* block) {
  *rank = 0;
  while (n > 0 && m > 0) {
    int r;
    TD_TRY(stair(A, B, n, m, zero, &r, block));
    *rank += r;
    if (r == 0) break;
    n -= r;
    m = r;
  }
  return TD_OK;
}

td_status td_reachable(const double* A, const double* B, int n, int m, double tol, int* rank) {
  *rank = 0;
  if (n == 0 || m == 0) return TD_OK;
  if (!isfinite(top(A, area(n, n)) + top(B, area(n, m)))) return TD_E_DIVERGED;
  const int wide = max_int(n, m);
  double* block = malloc(sizeof(double) *
                         (2 * area(n, n) + 2 * area(n, wide) + 3 * area(n, n) + 3 * (size_t)wide));
  if (!block) return TD_E_NOMEM;
  double *As = block, *Bs = As + area(n, n), *t = Bs + area(n, wide), *rest = t + n;
  td_status status = TD_E_DIVERGED;
  if (balance(A, n, t, As)) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) As[i * n + j] = A[i * n + j] / t[i] * t[j];
      for (int j = 0; j < m; j++) Bs[i * m + j] = B[i * m + j] / t[i];
    }
    // inputs count by direction, not by their units
    const double a = top(As, area(n, n)), b = top(Bs, area(n, m));
    for (size_t i = 0; b > 0 && i < area(n, m); i++) Bs[i] *= (a > 0 ? a : 1) / b;
    status = climb(As, Bs, n, m, tol * (a > 0 ? a : 1), rank, rest);
  }
  free(block);
  return status;
}

// ---- frequency response -----------------------------------------------------------------------

td_status td_transfer(const double* A, const double* B, const double* C, const double* D, int n,
                      int m, int p, double w, double* G) {
  lapack_complex_double* K = malloc(sizeof *K * (area(n, n) + area(n, m) + 1));
  lapack_int* pivot = malloc(sizeof *pivot * (size_t)(n + 1));
  td_status status = K && pivot ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK && n > 0 && m > 0) {
    lapack_complex_double* X = K + area(n, n);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++)
        K[j * n + i] = lapack_make_complex_double(-A[i * n + j], i == j ? w : 0);
      for (int j = 0; j < m; j++) X[j * n + i] = lapack_make_complex_double(B[i * m + j], 0);
    }
    if (LAPACKE_zgesv(LAPACK_COL_MAJOR, n, m, K, n, pivot, X, n) != 0) status = TD_E_SINGULAR;
  }
  for (int i = 0; status == TD_OK && i < p; i++) {
    for (int j = 0; j < m; j++) {
      double re = D[i * m + j], im = 0;
      for (int k = 0; k < n; k++) {
        re += C[i * n + k] * lapack_complex_double_real(K[area(n, n) + (size_t)(j * n + k)]);
        im += C[i * n + k] * lapack_complex_double_imag(K[area(n, n) + (size_t)(j * n + k)]);
      }
      G[2 * (i * m + j)] = re;
      G[2 * (i * m + j) + 1] = im;
    }
  }
  free(K);
  free(pivot);
  return status;
}

// ---- square roots -----------------------------------------------------------------------------

// Row-major M is M' to LAPACK: M' = L Q, so that M'M = L L'.
td_status td_triangular_root(double* M, int m, int n, double* S) {
  if (n == 0) return TD_OK;
  const int k = min_int(m, n);
  memset(S, 0, sizeof(double) * area(n, n));
  if (k == 0) return TD_OK;
  if (!isfinite(top(M, area(m, n)))) return TD_E_DIVERGED;
  double* tau = malloc(sizeof(double) * (size_t)k);
  if (!tau) return TD_E_NOMEM;
  const lapack_int info = LAPACKE_dgelqf(LAPACK_COL_MAJOR, n, m, M, n, tau);
  free(tau);
  if (info != 0) return TD_E_NOMEM;
  for (int j = 0; j < k; j++)
    for (int i = j; i < n; i++) S[i * n + j] = M[j * n + i];
  return TD_OK;
}
