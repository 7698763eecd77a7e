// Riccati and Lyapunov equations by ordered Schur forms, controllability by the staircase form,
// frequency responses, square roots of covariances.
//
// The stable invariant subspace [U1; U2] of the Hamiltonian matrix
//
//   H = [  A  -G  ]
//       [ -Q  -A' ]        gives X = U2 U1^-1                                    [laub1979]
//
// H is formed after x = T U x^ and X = s X^ with s^2 = |Q| / |G|, so that its blocks have similar
// sizes.  T is diagonal and balances A.  U is orthogonal with U'T^-1 B = [S V'; 0]: the inputs act
// on the first coordinates only.  Where control is cheap X nearly annihilates B, and in other
// coordinates X B would be a small difference of large numbers.  Newton's method then removes the
// rounding errors [kleinman1968]:
//
//   (A - G X)'D + D (A - G X) + R(X) = 0,   X <- X + D
#include "math/riccati.h"

#include <lapacke.h>
#include <math.h>

// Elements of a rows x cols matrix.
static size_t area(int rows, int cols) { return (size_t)rows * (size_t)cols; }

// Largest |A_i| of n numbers; infinite if one of them is not finite.
static double max_abs(const double* A, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(A[i])) return INFINITY;
    most = fmax(most, fabs(A[i]));
  }
  return most;
}

// X := (X + X') / 2
static void symmetrise(double* X, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double mean = (X[i * n + j] + X[j * n + i]) / 2;
      X[i * n + j] = X[j * n + i] = mean;
    }
}

// Find the scales t for which T^-1 A T with T = diag(t) is balanced.  `scratch` holds n x n.
static bool balance(const double* A, int n, double* t, double* scratch) {
  lapack_int low, high;
  memcpy(scratch, A, sizeof(double) * area(n, n));

  // LAPACK reads row-major A as A', whose scales are the reciprocals
  if (LAPACKE_dgebal(LAPACK_COL_MAJOR, 'S', n, scratch, n, &low, &high, t) != 0) return false;
  for (int i = 0; i < n; i++) t[i] = 1 / t[i];
  return true;
}

// ---- Lyapunov ---------------------------------------------------------------------------------

// Solve A'X + X A + Q = 0 (n x n) by the Schur form A' = U S U' [bartels1972]:
//
//   S Y + Y S' = -U'Q U,   X = U Y U'
//
// LAPACK reads row-major A as A'; its column-major U is U' in our order.
td_status td_lyapunov(const double* A, const double* Q, int n, double* X) {
  if (n == 0) return TD_OK;
  if (!isfinite(max_abs(A, area(n, n)) + max_abs(Q, area(n, n)))) return TD_E_DIVERGED;
  double* S = malloc(sizeof(double) * (4 * area(n, n) + 2 * (size_t)n));
  if (!S) return TD_E_NOMEM;
  double *U = S + area(n, n), *Y = U + area(n, n), *P = Y + area(n, n), *re = P + area(n, n),
         *im = re + n, scale = 1;
  td_status status = TD_E_DIVERGED;

  // Schur form
  lapack_int unused;
  memcpy(S, A, sizeof(double) * area(n, n));
  if (LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', NULL, n, S, n, &unused, re, im, U, n) != 0)
    goto done;

  // triangular equation for Y (column-major)
  td_mul(U, Q, n, n, n, P);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += P[i * n + k] * U[j * n + k];
      Y[j * n + i] = -sum;
    }
  const lapack_int info =
      LAPACKE_dtrsyl(LAPACK_COL_MAJOR, 'N', 'T', 1, n, n, S, n, S, n, Y, n, &scale);
  if (info < 0 || info > 1) goto done;
  status = TD_E_SINGULAR;
  if (info == 1 || !(scale > 0) || !isfinite(max_abs(Y, area(n, n)))) goto done;

  // X = U Y U' / scale
  td_mul_tn(U, Y, n, n, n, P);
  td_mul(P, U, n, n, n, X);
  for (size_t i = 0; i < area(n, n); i++) X[i] /= scale;
  symmetrise(X, n);
  status = TD_OK;
done:
  free(S);
  return status;
}

// ---- Riccati ----------------------------------------------------------------------------------

// The equation in the coordinates x^ of the file head
typedef struct scaled {
  int n, m;
  const double *A, *B, *Q;  // as given
  double *t, *U;            // T (n), U (n x n)
  double *Ah, *g, *Qh;      // U'T^-1 A T U, diagonal of G^ (n), U'T Q T U
  double *BU, *Xh;          // B'T^-1 U (m x n), X^
  double* work;             // 8 n^2 + 4 n
  lapack_int* pivot;
} scaled;

// R = A'X + X A - X G X + Q in the coordinates x^; returns its largest element relative to the
// largest of its terms.
static double riccati_residual(const scaled* p, const double* X, double* R) {
  const int n = p->n;
  double *XA = p->work + area(n, n), top_term = max_abs(p->Qh, area(n, n));
  td_mul(X, p->Ah, n, n, n, XA);
  top_term = fmax(top_term, max_abs(XA, area(n, n)));
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < min_int(n, p->m); k++) sum += p->g[k] * X[i * n + k] * X[j * n + k];
      top_term = fmax(top_term, fabs(sum));
      R[i * n + j] = R[j * n + i] = XA[i * n + j] + XA[j * n + i] - sum + p->Qh[i * n + j];
    }
  return top_term > 0 ? max_abs(R, area(n, n)) / top_term : 0;
}

// Select eigenvalues in the open left half-plane.
static lapack_logical is_stable(const double* re, const double* im) {
  (void)im;
  return *re < 0;
}

// Solve for X^ by the ordered Schur form of H with scale s.  TD_E_SINGULAR: no stabilising
// solution.
static td_status schur_solution(const scaled* p, double s) {
  const int n = p->n, N = 2 * n;
  double *H = p->work, *U = H + area(N, N), *re = U + area(N, N), *im = re + N, *X = p->Xh;

  // H, column-major
  memset(H, 0, sizeof(double) * area(N, N));
  for (int i = 0; i < n; i++) {
    H[(n + i) * N + i] = -s * p->g[i];
    for (int j = 0; j < n; j++) {
      H[j * N + i] = p->Ah[i * n + j];
      H[j * N + n + i] = -p->Qh[i * n + j] / s;
      H[(n + j) * N + n + i] = -p->Ah[j * n + i];
    }
  }

  // its stable invariant subspace; N + 2: rounding has moved eigenvalues across the axis
  lapack_int stable;
  const lapack_int info =
      LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'S', is_stable, N, H, N, &stable, re, im, U, N);
  if (info != 0 && info != N + 2) return info == N + 1 ? TD_E_SINGULAR : TD_E_DIVERGED;
  if (stable != n) return TD_E_SINGULAR;

  // X U1 = U2, that is U1'X' = U2'
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      H[j * n + i] = U[i * N + j];
      X[j * n + i] = s * U[i * N + n + j];
    }

  // U1 is singular to rounding if an unstable motion is not controllable
  const double size = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, H, n);
  double rcond = 0;
  if (LAPACKE_dgesv(LAPACK_COL_MAJOR, n, n, H, n, p->pivot, X, n) != 0) return TD_E_SINGULAR;
  if (LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, H, n, size, &rcond) != 0) return TD_E_DIVERGED;
  if (rcond < 1e-14) return TD_E_SINGULAR;
  symmetrise(X, n);
  return isfinite(max_abs(X, area(n, n))) ? TD_OK : TD_E_SINGULAR;
}

// Improve X^ by Newton's method while the residual falls, in at most 8 steps; returns the residual.
static double refine(const scaled* p) {
  const int n = p->n;
  double *R = p->work, *P = R + area(n, n), *D = P + area(n, n), *Y = D + area(n, n);
  double residual = riccati_residual(p, p->Xh, R);
  for (int k = 0; k < 8 && residual > 0; k++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) P[i * n + j] = p->Ah[i * n + j] - p->g[i] * p->Xh[i * n + j];

    // D from the Lyapunov equation; keep X + D if its residual is smaller
    if (td_lyapunov(P, R, n, D) != TD_OK) break;
    for (size_t i = 0; i < area(n, n); i++) Y[i] = p->Xh[i] + D[i];
    const double next = riccati_residual(p, Y, R);
    if (!(next < residual)) break;
    memcpy(p->Xh, Y, sizeof(double) * area(n, n));
    residual = next;
  }
  return residual;
}

// out = U'M U
static void congruence(const scaled* p, const double* M, double* out) {
  td_mul(M, p->U, p->n, p->n, p->n, p->work);
  td_mul_tn(p->U, p->work, p->n, p->n, p->n, out);
}

// Compute T, U and A, G, Q in the coordinates x^.
static td_status transform(const scaled* p) {
  const int n = p->n, m = p->m, k = min_int(n, m);
  double *M = p->work + area(n, n), *Bs = M + area(n, max_int(n, m)), *sigma = Bs + area(n, m),
         *super = sigma + k;

  // T balances A; the left singular vectors of T^-1 B are U
  if (!balance(p->A, n, p->t, M)) return TD_E_DIVERGED;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) M[i * m + j] = Bs[i * m + j] = p->B[i * m + j] / p->t[i];
  const lapack_int info = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'N', n, m, M, max_int(m, 1), sigma,
                                         p->U, n, NULL, max_int(m, 1), super);
  if (info != 0) return TD_E_DIVERGED;

  // B'T^-1 U and G^ = diag(sigma^2), exact zeros beyond the rank
  td_mul_tn(Bs, p->U, m, n, n, p->BU);
  for (int j = 0; j < n; j++) {
    p->g[j] = j < k ? sigma[j] * sigma[j] : 0;
    for (int i = 0; i < m && j >= k; i++) p->BU[i * n + j] = 0;
  }

  // U'T^-1 A T U and U'T Q T U
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) M[i * n + j] = p->A[i * n + j] / p->t[i] * p->t[j];
  congruence(p, M, p->Ah);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) M[i * n + j] = p->Q[i * n + j] * p->t[i] * p->t[j];
  congruence(p, M, p->Qh);
  symmetrise(p->Qh, n);
  return TD_OK;
}

// The largest real part of the eigenvalues of A^ relative to its elements; NaN: not found.
static double growth(const scaled* p) {
  double *re = p->work, *im = re + p->n, most = -INFINITY;
  const double size = max_abs(p->Ah, area(p->n, p->n));
  if (!td_eig_general(p->Ah, p->n, re, im, NULL)) return NAN;
  for (int i = 0; i < p->n; i++) most = fmax(most, re[i]);
  return size > 0 ? most / size : 0;
}

// Transform, solve by the Schur method, refine by Newton's method, transform back.
td_status td_riccati_inputs(const double* A, const double* B, const double* Q, int n, int m,
                            double* X, double* BX, double* residual) {
  if (residual) *residual = 0;
  if (n == 0) return TD_OK;
  if (!isfinite(max_abs(A, area(n, n)) + max_abs(B, area(n, m)) + max_abs(Q, area(n, n))))
    return TD_E_DIVERGED;

  // one block for all matrices
  const size_t nn = area(n, n), work = 8 * nn + 4 * area(n, m) + 8 * (size_t)n;
  double* block = malloc(sizeof(double) * (4 * nn + area(n, m) + 2 * (size_t)n + work));
  lapack_int* pivot = malloc(sizeof(lapack_int) * (size_t)n);
  td_status status = TD_E_NOMEM;
  if (!block || !pivot) goto done;
  scaled p = {.n = n, .m = m, .A = A, .B = B, .Q = Q, .U = block, .pivot = pivot};
  p.Ah = p.U + nn;
  p.Qh = p.Ah + nn;
  p.Xh = p.Qh + nn;
  p.BU = p.Xh + nn;
  p.t = p.BU + area(n, m);
  p.g = p.t + n;
  p.work = p.g + n;

  // without weights stable motion needs no feedback, and neutral motion has no solution
  static const double rounding = 1e-13, unsolved = 1e-3;
  if ((status = transform(&p)) != TD_OK) goto done;
  const double g = max_abs(p.g, (size_t)n), q = max_abs(p.Qh, nn), most = q == 0 ? growth(&p) : 0;
  if (q == 0 && !(fabs(most) > rounding)) {
    status = isnan(most) ? TD_E_DIVERGED : TD_E_SINGULAR;
    goto done;
  }

  // X^ by the Schur form, refined by Newton's method
  if (q == 0 && most < 0) {
    memset(p.Xh, 0, sizeof(double) * nn);
  } else {
    if ((status = schur_solution(&p, g > 0 && q > 0 ? sqrt(q / g) : 1)) != TD_OK) goto done;
    const double left = refine(&p);
    if (!(left <= unsolved)) status = TD_E_SINGULAR;
    if (status != TD_OK) goto done;
    if (residual) *residual = left;
  }

  // X = T^-1 U X^ U'T^-1 and B'X = B'T^-1 U X^ U'T^-1
  double *P = p.work, *Ut = P + area(n, max_int(n, m));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) Ut[i * n + j] = p.U[j * n + i] / p.t[j];
  if (BX) {
    td_mul(p.BU, p.Xh, m, n, n, P);
    td_mul(P, Ut, m, n, n, BX);
  }
  td_mul(p.Xh, Ut, n, n, n, P);
  td_mul_tn(Ut, P, n, n, n, X);
  symmetrise(X, n);
done:
  free(block);
  free(pivot);
  return status;
}

// G = B B' with B = V sqrt(w) from the eigenvectors V and eigenvalues w of G.
td_status td_riccati(const double* A, const double* G, const double* Q, int n, double* X,
                     double* residual) {
  if (residual) *residual = 0;
  if (n == 0) return TD_OK;
  if (!isfinite(max_abs(G, area(n, n)))) return TD_E_DIVERGED;
  double* B = malloc(sizeof(double) * (area(n, n) + (size_t)n));
  if (!B) return TD_E_NOMEM;
  double* w = B + area(n, n);
  memcpy(B, G, sizeof(double) * area(n, n));
  td_status status = TD_E_DIVERGED;
  if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', n, B, n, w) == 0) {
    const bool negative = w[0] < -1e-12 * fabs(w[n - 1]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) B[i * n + j] *= sqrt(fmax(w[j], 0));
    status = negative ? TD_E_SINGULAR : td_riccati_inputs(A, B, Q, n, n, X, NULL, residual);
  }
  free(B);
  return status;
}

// ---- controllability --------------------------------------------------------------------------

// C = U'A U for U = Q diag(V, 1), where B = Q [V S W'; 0] (n x m, m < n): Householder reflections
// for Q and the singular vectors of the small triangle make U without its n x n elements.
static bool turn_by_reflections(double* A, const double* B, int n, int m, double* sigma,
                                double* block) {
  double *S = block, *R = S + area(n, m), *V = R + area(m, m), *P = V + area(m, m),
         *tau = P + area(m, n), *super = tau + m;
  memcpy(S, B, sizeof(double) * area(n, m));
  if (LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, n, m, S, m, tau) != 0) return false;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) R[i * m + j] = j < i ? 0 : S[i * m + j];
  if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'N', m, m, R, m, sigma, V, m, NULL, m, super) != 0 ||
      LAPACKE_dormqr(LAPACK_ROW_MAJOR, 'L', 'T', n, n, m, S, m, tau, A, n) != 0 ||
      LAPACKE_dormqr(LAPACK_ROW_MAJOR, 'R', 'N', n, n, m, S, m, tau, A, n) != 0)
    return false;
  td_mul_tn(V, A, m, m, n, P);  // the first rows of A
  memcpy(A, P, sizeof(double) * area(m, n));
  for (int i = 0; i < n; i++) {
    td_mul(A + area(i, n), V, 1, m, m, P);
    memcpy(A + area(i, n), P, sizeof(double) * (size_t)m);
  }
  return true;
}

// One step of the staircase form: B = U S V' (n x m) has r singular values above `zero`.  The lower
// left (n-r) x r block of U'A U becomes the next B, the lower right one the next A.
static td_status stair(double* A, double* B, int n, int m, double zero, int* rank, double* block) {
  const int k = min_int(n, m);
  double *sigma = block, *super = sigma + k, *rest = super + k;
  if (m < n) {
    if (!turn_by_reflections(A, B, n, m, sigma, rest)) return TD_E_DIVERGED;
  } else {
    double *S = rest, *U = S + area(n, m), *P = U + area(n, n);
    memcpy(S, B, sizeof(double) * area(n, m));
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'N', n, m, S, m, sigma, U, n, NULL, max_int(m, 1),
                       super) != 0)
      return TD_E_DIVERGED;
    td_mul(A, U, n, n, n, P);
    td_mul_tn(U, P, n, n, n, A);
  }
  *rank = 0;
  while (*rank < k && sigma[*rank] > zero) (*rank)++;
  const int r = *rank, left = n - r;
  if (r == 0) return TD_OK;

  // row i of the new matrices ends before row r + i of A begins
  for (int i = 0; i < left; i++) {
    for (int j = 0; j < r; j++) B[i * r + j] = A[(r + i) * n + j];
    for (int j = 0; j < left; j++) A[i * left + j] = A[(r + i) * n + r + j];
  }
  return TD_OK;
}

// Staircase form [vandooren1981]: repeat `stair` until the remaining states are not driven.
td_status td_reachable(const double* A, const double* B, int n, int m, double tol, int* rank) {
  *rank = 0;
  if (n == 0 || m == 0) return TD_OK;
  if (!isfinite(max_abs(A, area(n, n)) + max_abs(B, area(n, m)))) return TD_E_DIVERGED;
  const int wide = max_int(n, m);
  double* block = malloc(sizeof(double) *
                         (2 * area(n, n) + 2 * area(n, wide) + 3 * area(n, n) + 3 * (size_t)wide));
  if (!block) return TD_E_NOMEM;
  double *As = block, *Bs = As + area(n, n), *t = Bs + area(n, wide), *rest = t + n;
  td_status status = TD_E_DIVERGED;
  if (!balance(A, n, t, As)) goto done;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) As[i * n + j] = A[i * n + j] / t[i] * t[j];
    for (int j = 0; j < m; j++) Bs[i * m + j] = B[i * m + j] / t[i];
  }

  // scale B to the size of A: inputs count by direction, not by their units
  const double a = max_abs(As, area(n, n)), b = max_abs(Bs, area(n, m)), size = a > 0 ? a : 1;
  for (size_t i = 0; b > 0 && i < area(n, m); i++) Bs[i] *= size / b;

  // each step removes the states that the current B drives
  int r = 0;
  do {
    status = stair(As, Bs, n, m, tol * size, &r, rest);
    if (status != TD_OK) break;
    *rank += r;
    n -= r;
    m = r;
  } while (r > 0 && n > 0);
done:
  free(block);
  return status;
}

// ---- frequency response -----------------------------------------------------------------------

// G = C (iw - A)^-1 B + D by one complex linear system
td_status td_transfer(const double* A, const double* B, const double* C, const double* D, int n,
                      int m, int p, double w, double* G) {
  lapack_complex_double* K = malloc(sizeof *K * (area(n, n) + area(n, m) + 1));
  lapack_int* pivot = malloc(sizeof *pivot * (size_t)(n + 1));
  td_status status = K && pivot ? TD_OK : TD_E_NOMEM;

  // (iw - A) X = B, column-major
  if (status == TD_OK && n > 0 && m > 0) {
    lapack_complex_double* X = K + area(n, n);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++)
        K[j * n + i] = lapack_make_complex_double(-A[i * n + j], i == j ? w : 0);
      for (int j = 0; j < m; j++) X[j * n + i] = lapack_make_complex_double(B[i * m + j], 0);
    }
    if (LAPACKE_zgesv(LAPACK_COL_MAJOR, n, m, K, n, pivot, X, n) != 0) status = TD_E_SINGULAR;
  }

  // G = C X + D
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

// LQ factorisation: LAPACK reads row-major M as M' = L Q, so that M'M = L L'.
td_status td_triangular_root(double* M, int m, int n, double* S) {
  if (n == 0) return TD_OK;
  const int k = min_int(m, n);
  memset(S, 0, sizeof(double) * area(n, n));
  if (k == 0) return TD_OK;
  if (!isfinite(max_abs(M, area(m, n)))) return TD_E_DIVERGED;
  double* tau = malloc(sizeof(double) * (size_t)k);
  if (!tau) return TD_E_NOMEM;
  const lapack_int info = LAPACKE_dgelqf(LAPACK_COL_MAJOR, n, m, M, n, tau);
  free(tau);
  if (info != 0) return TD_E_NOMEM;
  for (int j = 0; j < k; j++)
    for (int i = j; i < n; i++) S[i * n + j] = M[j * n + i];
  return TD_OK;
}
