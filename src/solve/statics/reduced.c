// The linearised equations on the motions that the constraints allow, their eigenvalues, and what
// these say about stability.
//
// Directions without mass (M u = 0) are separated by an orthonormal change of basis [massive,
// damped, static].  The static ones follow the others at once, z_s = -K_ss^-1 K_sr z_r, and leave
// K_rr - K_rs K_ss^-1 K_sr.
#include <float.h>
#include <math.h>

#include "solve/statics/statics.h"
#include "solve/vectors.h"

static void symmetrise(const double* A, int n, double* S) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) S[i * n + j] = (A[i * n + j] + A[j * n + i]) / 2;
}

static double asymmetry(const double* A, int n) {
  double top = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) top = fmax(top, fabs(A[i * n + j] - A[j * n + i]));
  return top / fmax(largest(A, area(n, n)), DBL_MIN);
}

static void identity(double* A, int n) {
  memset(A, 0, sizeof(double) * area(n, n));
  for (int i = 0; i < n; i++) A[i * n + i] = 1;
}

// B = U'A U for square A and U rows x cols; scratch rows x cols
static void congruence(const double* A, const double* U, int rows, int cols, double* scratch,
                       double* B) {
  td_mul(A, U, rows, rows, cols, scratch);
  td_mul_tn(U, scratch, cols, rows, cols, B);
}

// ---- directions without mass ------------------------------------------------------------------

// Orthonormal basis of eigenvectors of the symmetric part of A, those of the large eigenvalues
// first: U n x n by columns; returns how many are not zero relative to the largest, -1 when it
// fails.
static int split(const double* A, int n, double* U, double* scratch) {
  double *S = scratch, *one = S + area(n, n), *V = one + area(n, n), *w = V + area(n, n);
  symmetrise(A, n, S);
  identity(one, n);
  if (!td_eig_symmetric(S, one, n, w, V)) return -1;
  const double top = fmax(fabs(w[0]), fabs(w[n - 1]));
  int rank = 0;
  for (int k = n - 1; k >= 0; k--) {
    for (int i = 0; i < n; i++) U[i * n + (n - 1 - k)] = V[k * n + i];
    rank += w[k] > 1e-12 * top;
  }
  return rank;
}

// Turn every matrix of r into the basis U (n x n)
static void change_basis(td_reduced* r, int rows, const double* U, double* scratch) {
  const int n = r->n;
  double *T = scratch, *B = T + area(n, n);
  double* const squares[] = {r->M, r->C, r->K};
  for (int i = 0; i < 3; i++) {
    congruence(squares[i], U, n, n, T, B);
    memcpy(squares[i], B, sizeof(double) * area(n, n));
  }
  double* Z = B + area(n, n);
  td_mul(r->Z, U, rows, n, n, Z);
  memcpy(r->Z, Z, sizeof(double) * area(rows, n));
}

// The leading n - count rows and columns of an n x n matrix, packed
static void lead(double* A, int n, int count) {
  const int k = n - count;
  for (int i = 0; i < k; i++) memmove(A + area(i, k), A + area(i, n), sizeof(double) * (size_t)k);
}

// G = -K_ss^-1 K_sr (count x k) for the last `count` directions; false when K_ss is singular
static bool follow(const double* K, int n, int count, double* G, double* scratch, int* pivot) {
  const int k = n - count;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) scratch[i * count + j] = K[(k + i) * n + k + j];
    for (int j = 0; j < k; j++) G[i * k + j] = -K[(k + i) * n + j];
  }
  if (td_lu(scratch, count, pivot) != 0) return false;
  td_lu_solve(scratch, pivot, count, G, k);
  return isfinite(largest(G, area(count, k)));
}

// K_rr + K_rs G in place, packed
static void condense_stiffness(double* K, int n, int count, const double* G) {
  const int k = n - count;
  for (int i = 0; i < k; i++)
    for (int s = 0; s < count; s++)
      for (int j = 0; j < k; j++) K[i * n + j] += K[i * n + k + s] * G[s * k + j];
  lead(K, n, count);
}

static td_status condense(td_reduced* r, int rows, int count, double* scratch, int* pivot) {
  const int n = r->n, k = n - count;
  double* G = scratch + area(n, n);
  if (!follow(r->K, n, count, G, scratch, pivot)) return TD_E_SINGULAR;
  condense_stiffness(r->K, n, count, G);
  lead(r->M, n, count);
  lead(r->C, n, count);
  for (int i = 0; i < rows; i++)
    for (int s = 0; s < count; s++)
      for (int j = 0; j < k; j++) r->Z[i * n + j] += r->Z[i * n + k + s] * G[s * k + j];
  for (int i = 0; i < rows; i++)
    memmove(r->Z + area(i, k), r->Z + area(i, n), sizeof(double) * (size_t)k);
  r->n = k;
  return TD_OK;
}

// The last `count` columns of U, times B (count x count)
static void turn_last(double* U, int n, int count, const double* B, double* scratch) {
  for (int i = 0; i < n; i++) {
    double* tail = U + area(i, n) + (n - count);
    td_mul_tn(B, tail, count, count, 1, scratch);
    memcpy(tail, scratch, sizeof(double) * (size_t)count);
  }
}

static td_status separate_massless(td_reduced* r, int rows, double* scratch, int* pivot) {
  const int n = r->n;
  double *U = scratch, *C0 = U + area(n, n), *B = C0 + area(n, n), *rest = B + area(n, n);
  const int massive = split(r->M, n, U, rest);
  if (massive < 0) return TD_E_DIVERGED;
  const int without = n - massive;
  if (without == 0) return TD_OK;

  // among those without mass, damped ones first
  congruence(r->C, U, n, n, rest, C0);
  for (int i = 0; i < without; i++)
    for (int j = 0; j < without; j++) B[i * without + j] = C0[(massive + i) * n + massive + j];
  memcpy(C0, B, sizeof(double) * area(without, without));
  const int damped = largest(C0, area(without, without)) > 1e-14 * largest(r->C, area(n, n))
                         ? split(C0, without, B, rest)
                         : 0;
  if (damped < 0) return TD_E_DIVERGED;
  if (damped > 0) turn_last(U, n, without, B, rest);
  change_basis(r, rows, U, rest);
  r->massless = damped;
  return without > damped ? condense(r, rows, without - damped, scratch, pivot) : TD_OK;
}

// ---- life -------------------------------------------------------------------------------------

static td_reduced* allocate(int rows, int n) {
  td_reduced* r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->n = n;
  r->Z = calloc(area(rows, n) + 3 * area(n, n) + 1, sizeof(double));
  if (!r->Z) {
    free(r);
    return NULL;
  }
  r->M = r->Z + area(rows, n);
  r->C = r->M + area(n, n);
  r->K = r->C + area(n, n);
  return r;
}

void td_reduced_free(td_reduced* reduced) {
  if (!reduced) return;
  free(reduced->Z);
  free(reduced);
}

static bool has_mass_everywhere(const td_reduced* r, double* scratch) {
  memcpy(scratch, r->M, sizeof(double) * area(r->n, r->n));
  return td_chol(scratch, r->n, 1e-12) == 0;
}

static void pick(const td_statics* s, const double* full, double* part) {
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->n; j++) part[i * s->n + j] = full[s->free[i] * s->nv + s->free[j]];
}

// K on the null space, and M, C unless only the stiffness is asked for; scratch 10 n^2 and J
static td_status reduce(td_statics* s, td_saddle* saddle, const double* q, const double* l,
                        double p, bool stiffness_only, td_reduced** reduced, double* scratch) {
  const int n = s->n;
  double *A = scratch, *J = A + 10 * area(n, n);
  s->equations.tangent(s, q, l, p, A, J);
  if (!isfinite(largest(A, area(n, n)) + largest(s->C, area(s->nv, s->nv)))) return TD_E_DIVERGED;
  if (stiffness_only) td_chained_stiffness(s, q, A, J);
  saddle->scale = s->equations.rows;
  td_saddle_null_space(saddle, J);
  td_reduced* r = *reduced = allocate(n, saddle->free);
  if (!r) return TD_E_NOMEM;
  memcpy(r->Z, saddle->Z, sizeof(double) * area(n, r->n));
  if (stiffness_only) td_chained_directions(s, q, r->Z, r->n);
  td_saddle_reduce(saddle, A, r->K);
  r->asymmetry = asymmetry(r->K, r->n);
  if (stiffness_only || r->n == 0) return TD_OK;

  pick(s, s->C, A);
  td_saddle_reduce(saddle, A, r->C);
  s->equations.mass(s, q, p, A);
  if (!isfinite(largest(A, area(n, n)))) return TD_E_DIVERGED;
  td_saddle_reduce(saddle, A, r->M);
  if (has_mass_everywhere(r, scratch)) return TD_OK;
  return separate_massless(r, n, scratch, saddle->pivot);
}

static td_status make(td_statics* s, const double* q, const double* l, double p,
                      bool stiffness_only, td_reduced** reduced) {
  *reduced = NULL;
  td_saddle* saddle = NULL;
  double* scratch =
      malloc(sizeof(double) * (area(s->n, s->n) * 10 + area(s->m, s->n) + (size_t)s->n + 1));
  td_status status = scratch ? td_saddle_new(s->n, s->m, &saddle) : TD_E_NOMEM;
  if (status == TD_OK) status = reduce(s, saddle, q, l, p, stiffness_only, reduced, scratch);
  if (status != TD_OK) {
    td_reduced_free(*reduced);
    *reduced = NULL;
  }
  td_saddle_free(saddle);
  free(scratch);
  return status;
}

td_status td_reduced_new(td_statics* s, const double* q, const double* l, double p,
                         td_reduced** reduced) {
  return make(s, q, l, p, false, reduced);
}

td_status td_reduced_stiffness(td_statics* s, const double* q, const double* l, double p,
                               td_reduced** reduced) {
  return make(s, q, l, p, true, reduced);
}

// ---- eigenvalues ------------------------------------------------------------------------------

// Solve the leading k x k block of M X = B
static bool solve_mass(const td_reduced* r, int k, double* L, double* B, int nrhs) {
  for (int i = 0; i < k; i++)
    memcpy(L + area(i, k), r->M + area(i, r->n), sizeof(double) * (size_t)k);
  if (td_chol(L, k, 0) != 0) return false;
  td_chol_solve(L, k, B, nrhs);
  return true;
}

// State [z1, z2, v1] with z1 massive, z2 massless:  C22 z2' = -(K21 z1 + K22 z2 + C21 v1), z1' = v1
// and M v1' = -(K11 z1 + K12 z2 + C11 v1 + C12 z2')
static bool state_matrix(const td_reduced* r, double* A, double* scratch, int* pivot) {
  const int n = r->n, d = r->massless, k = n - d, N = n + k;
  double *C22 = scratch, *rate = C22 + area(n, n), *force = rate + area(n, N);
  memset(A, 0, sizeof(double) * area(N, N));
  for (int i = 0; i < k; i++) A[area(i, N) + (size_t)(n + i)] = 1;

  // rate of z2: d x N
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++) C22[i * d + j] = r->C[(k + i) * n + k + j];
    for (int j = 0; j < n; j++) rate[i * N + j] = -r->K[(k + i) * n + j];
    for (int j = 0; j < k; j++) rate[i * N + n + j] = -r->C[(k + i) * n + j];
  }
  if (d > 0 && td_lu(C22, d, pivot) != 0) return false;
  td_lu_solve(C22, pivot, d, rate, N);
  memcpy(A + area(k, N), rate, sizeof(double) * area(d, N));

  // acceleration of z1: k x N
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < n; j++) force[i * N + j] = -r->K[i * n + j];
    for (int j = 0; j < k; j++) force[i * N + n + j] = -r->C[i * n + j];
    for (int s = 0; s < d; s++)
      for (int j = 0; j < N; j++) force[i * N + j] -= r->C[i * n + k + s] * rate[s * N + j];
  }
  if (!solve_mass(r, k, C22, force, N)) return false;
  memcpy(A + area(n, N), force, sizeof(double) * area(k, N));
  return true;
}

td_status td_reduced_eigenvalues(const td_reduced* r, double* re, double* im, double* shapes,
                                 int* count) {
  const int n = r->n, N = 2 * n - r->massless;
  *count = N;
  if (n == 0) return TD_OK;
  const size_t NN = area(N, N);
  double* block =
      malloc(sizeof(double) * (2 * NN + area(n, n) + 2 * area(n, N)) + sizeof(int) * (size_t)n);
  if (!block) return TD_E_NOMEM;
  double *A = block, *V = A + NN, *scratch = V + NN;
  int* pivot = (int*)(void*)(scratch + area(n, n) + 2 * area(n, N));
  const bool ok =
      state_matrix(r, A, scratch, pivot) && td_eig_general(A, N, re, im, shapes ? V : NULL);
  for (int i = 0; ok && shapes && i < N; i++)
    memcpy(shapes + area(i, n), V + area(i, N), sizeof(double) * (size_t)n);
  free(block);
  return ok ? TD_OK : TD_E_SINGULAR;
}

td_status td_reduced_slow(const td_reduced* r, double* re, double* im, int* count) {
  const int n = r->n, N = 2 * n - r->massless;
  *count = N;
  if (n == 0) return TD_OK;
  const size_t NN = area(N, N);
  double* block = malloc(sizeof(double) * (2 * NN + area(n, n) + 2 * area(n, N)) +
                         sizeof(int) * (size_t)(N + n));
  if (!block) return TD_E_NOMEM;
  double *A = block, *inverse = A + NN, *scratch = inverse + NN;
  int* pivot = (int*)(void*)(scratch + area(n, n) + 2 * area(n, N));
  bool ok = state_matrix(r, A, scratch, pivot);
  identity(inverse, N);
  ok = ok && td_lu(A, N, pivot) == 0;
  if (ok) td_lu_solve(A, pivot, N, inverse, N);
  ok = ok && isfinite(largest(inverse, NN)) && td_eig_general(inverse, N, re, im, NULL);
  for (int i = 0; ok && i < N; i++) {
    const double size = re[i] * re[i] + im[i] * im[i];
    re[i] = size > 0 ? re[i] / size : INFINITY;
    im[i] = size > 0 ? -im[i] / size : 0;
  }
  free(block);
  return ok ? TD_OK : TD_E_SINGULAR;
}

// K condensed onto the massive directions, with G for the others
static bool undamped(const td_reduced* r, double* w, double* shapes, double* block, int* pivot) {
  const int n = r->n, d = r->massless, k = n - d;
  double *K = block, *S = K + area(n, n), *M = S + area(n, n), *G = M + area(n, n),
         *V = G + area(n, n);
  memcpy(K, r->K, sizeof(double) * area(n, n));
  memcpy(M, r->M, sizeof(double) * area(n, n));
  if (d > 0) {
    if (!follow(K, n, d, G, S, pivot)) return false;
    condense_stiffness(K, n, d, G);
    lead(M, n, d);
  }
  symmetrise(K, k, S);
  symmetrise(M, k, K);
  if (!td_eig_pencil(S, K, k, w, V)) return false;
  for (int i = 0; i < k; i++) {
    memcpy(shapes + area(i, n), V + area(i, k), sizeof(double) * (size_t)k);
    if (d > 0) td_mul(G, V + area(i, k), d, k, 1, shapes + area(i, n) + k);
  }
  return true;
}

td_status td_reduced_modes(const td_reduced* r, double* w, double* shapes, int* count) {
  *count = r->n - r->massless;
  if (r->n == 0) return TD_OK;
  double* block = malloc(sizeof(double) * 5 * area(r->n, r->n) + sizeof(int) * (size_t)r->n);
  if (!block) return TD_E_NOMEM;
  int* pivot = (int*)(void*)(block + 5 * area(r->n, r->n));
  const bool ok = undamped(r, w, shapes, block, pivot);
  free(block);
  return ok ? TD_OK : TD_E_SINGULAR;
}

// Undamped problem of a stiffness that is not symmetric, K x = w² M x with w² real or in conjugate
// pairs.  A pair makes motions that grow and decay without any damping:
//
//   s² = -w²,  |s| = |w|,  -Re s/|s| = ±sin(arg(w²)/2)
//
// C adds the diagonal of X⁻¹ M⁻¹ C X / (2 |w|), X the shapes by columns.
static bool general(const td_reduced* r, double* omega, double* zeta, double* shapes, double* block,
                    int* pivot) {
  const int n = r->n, d = r->massless, k = n - d;
  const size_t kk = area(n, n);
  double *K = block, *L = K + kk, *G = L + kk, *V = G + kk, *E = V + kk, *D = E + kk, *X = D + kk;
  double *re = X + kk, *im = re + n, *ratio = im + n;

  // stiffness and damping on the massive directions, which the others follow
  memcpy(K, r->K, sizeof(double) * kk);
  memset(E, 0, sizeof(double) * kk);
  for (int i = 0; i < k; i++) E[area(i, k) + (size_t)i] = 1;
  if (d > 0) {
    if (!follow(K, n, d, G, L, pivot)) return false;
    condense_stiffness(K, n, d, G);
    memcpy(E + area(k, k), G, sizeof(double) * area(d, k));
  }
  congruence(r->C, E, n, k, X, D);
  if (!solve_mass(r, k, L, K, k) || !solve_mass(r, k, L, D, k)) return false;
  if (!td_eig_general(K, k, re, im, V)) return false;

  // the damping of each shape
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) X[j * k + i] = V[i * k + j];
  td_mul(D, X, k, k, k, L);
  const bool complete = td_lu(X, k, pivot) == 0;
  if (complete) td_lu_solve(X, pivot, k, L, k);
  for (int i = 0; i < k; i++) {
    const int pair = im[i] > 0 ? i + 1 : im[i] < 0 ? i - 1 : i;
    const double size = hypot(re[i], im[i]);
    const double rate = complete ? (L[i * k + i] + L[pair * k + pair]) / 2 : 0;
    const double own = im[i] == 0 ? 0 : sin(atan2(im[i], re[i]) / 2);
    re[i] = im[i] == 0 && re[i] < 0 ? -sqrt(size) : sqrt(size);
    ratio[i] = re[i] > 0 ? own + (isfinite(rate) ? rate / (2 * re[i]) : 0) : 0;
  }

  // ascending, normalised by the mass
  for (int at = 0; at < k; at++) {
    int least = 0;
    for (int i = 1; i < k; i++)
      if (re[i] < re[least]) least = i;
    double* out = shapes + area(at, n);
    td_mul(E, V + area(least, k), n, k, 1, out);
    td_mul(r->M, out, n, n, 1, D);
    const double mass = inner(out, D, n);
    for (int i = 0; i < n && mass > 0; i++) out[i] /= sqrt(mass);
    omega[at] = re[least];
    zeta[at] = ratio[least];
    re[least] = INFINITY;
  }
  return true;
}

td_status td_reduced_general_modes(const td_reduced* r, double* omega, double* zeta, double* shapes,
                                   int* count) {
  *count = r->n - r->massless;
  if (r->n == 0) return TD_OK;
  const size_t n = (size_t)r->n;
  double* block = malloc(sizeof(double) * (7 * n * n + 3 * n) + sizeof(int) * n);
  if (!block) return TD_E_NOMEM;
  const bool ok = general(r, omega, zeta, shapes, block, (int*)(void*)(block + 7 * n * n + 3 * n));
  free(block);
  return ok ? TD_OK : TD_E_SINGULAR;
}
