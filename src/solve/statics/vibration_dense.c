// Vibrations by dense matrices on the motions that the constraints allow; all eigenvalues.
//
// Directions without mass (M u = 0) are separated by an orthonormal change of basis [massive,
// damped, static].  The static ones follow the others at once, z_s = -K_ss⁻¹ K_sr z_r, and leave
// K_rr - K_rs K_ss⁻¹ K_sr.
#include <float.h>
#include <limits.h>
#include <math.h>

#include "solve/statics/vibration.h"
#include "solve/vectors.h"

typedef struct dense_vibration {
  td_vibration base;
  td_reduced* r;
  double* LU;  // n x n: factors of K + shift M; NULL: none yet
  int* pivot;
} dense_vibration;

static void symmetrise(const double* A, int n, double* S) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) S[i * n + j] = (A[i * n + j] + A[j * n + i]) / 2;
}

// Eigenvalues of the symmetric part of A and their vectors (rows of V); scratch 2 n²
static bool symmetric_eigen(const double* A, int n, double* w, double* V, double* scratch) {
  double* one = scratch + area(n, n);
  symmetrise(A, n, scratch);
  memset(one, 0, sizeof(double) * area(n, n));
  for (int i = 0; i < n; i++) one[i * n + i] = 1;
  return td_eig_symmetric(scratch, one, n, w, V);
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
  double *V = scratch + 2 * area(n, n), *w = V + area(n, n);
  if (!symmetric_eigen(A, n, w, V, scratch)) return -1;
  const double top = fmax(fabs(w[0]), fabs(w[n - 1]));
  int rank = 0;
  for (int k = n - 1; k >= 0; k--) {
    for (int i = 0; i < n; i++) U[i * n + (n - 1 - k)] = V[k * n + i];
    rank += w[k] > 1e-12 * top;
  }
  return rank;
}

// Keep the first `cols` of n columns, packed
static void lead(double* A, int rows, int n, int cols) {
  for (int i = 0; i < rows; i++)
    memmove(A + area(i, cols), A + area(i, n), sizeof(double) * (size_t)cols);
}

// Let the last `count` directions follow the others by their stiffness: G = -K_ss⁻¹ K_sr (count x
// k), and K_rr + K_rs G in place, packed.  False: K_ss is singular.
static bool condense(double* K, int n, int count, double* G, double* scratch, int* pivot) {
  const int k = n - count;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) scratch[i * count + j] = K[(k + i) * n + k + j];
    for (int j = 0; j < k; j++) G[i * k + j] = -K[(k + i) * n + j];
  }
  if (td_lu(scratch, count, pivot) != 0) return false;
  td_lu_solve(scratch, pivot, count, G, k);
  if (!isfinite(largest(G, area(count, k)))) return false;
  for (int i = 0; i < k; i++)
    for (int s = 0; s < count; s++)
      for (int j = 0; j < k; j++) K[i * n + j] += K[i * n + k + s] * G[s * k + j];
  lead(K, k, n, k);
  return true;
}

// The basis [massive, damped, static], of which the static directions are condensed
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
  for (int i = 0; i < n && damped > 0; i++) {
    double* tail = U + area(i, n) + massive;
    td_mul_tn(B, tail, without, without, 1, rest);
    memcpy(tail, rest, sizeof(double) * (size_t)without);
  }

  // every matrix in that basis
  double* const squares[] = {r->M, r->C, r->K};
  double *T = rest, *turned = T + area(n, n), *Z = turned + area(n, n);
  for (int i = 0; i < 3; i++) {
    congruence(squares[i], U, n, n, T, turned);
    memcpy(squares[i], turned, sizeof(double) * area(n, n));
  }
  td_mul(r->Z, U, rows, n, n, Z);
  memcpy(r->Z, Z, sizeof(double) * area(rows, n));
  r->massless = damped;

  // without the static ones, whose displacements stay in Z
  const int count = without - damped, k = n - count;
  double* G = scratch + area(n, n);
  if (count == 0) return TD_OK;
  if (!condense(r->K, n, count, G, scratch, pivot)) return TD_E_SINGULAR;
  for (int i = 0; i < rows; i++)
    for (int s = 0; s < count; s++)
      for (int j = 0; j < k; j++) r->Z[i * n + j] += r->Z[i * n + k + s] * G[s * k + j];
  lead(r->M, k, n, k);
  lead(r->C, k, n, k);
  lead(r->Z, rows, n, k);
  r->n = k;
  return TD_OK;
}

// ---- life -------------------------------------------------------------------------------------

void td_reduced_free(td_reduced* reduced) {
  if (!reduced) return;
  free(reduced->Z);
  free(reduced);
}

// The matrices on the null space of J; scratch 10 n² and J
static td_status reduce(td_statics* s, td_saddle* saddle, const double* q, const double* l,
                        double p, bool motion, td_reduced* r, double* scratch) {
  const int n = s->n;
  double *A = scratch, *J = A + 10 * area(n, n);
  s->equations.tangent(s, q, l, p, A, J);
  if (!isfinite(largest(A, area(n, n)) + largest(s->C, area(s->nv, s->nv)))) return TD_E_DIVERGED;
  if (!motion) td_chained_stiffness(s, q, A, J);
  saddle->scale = s->equations.rows;
  td_saddle_null_space(saddle, J);
  const int k = r->n = saddle->free;
  r->Z = calloc(area(n, k) + 3 * area(k, k) + 1, sizeof(double));
  if (!r->Z) return TD_E_NOMEM;
  r->M = r->Z + area(n, k);
  r->C = r->M + area(k, k);
  r->K = r->C + area(k, k);
  memcpy(r->Z, saddle->Z, sizeof(double) * area(n, k));
  if (!motion) td_chained_directions(s, q, r->Z, k);

  // stiffness and how far it is from symmetric
  td_saddle_reduce(saddle, A, r->K);
  double skew = 0;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < i; j++) skew = fmax(skew, fabs(r->K[i * k + j] - r->K[j * k + i]));
  r->asymmetry = skew / fmax(largest(r->K, area(k, k)), DBL_MIN);
  if (!motion || k == 0) return TD_OK;

  // damping and mass
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i * n + j] = s->C[s->free[i] * s->nv + s->free[j]];
  td_saddle_reduce(saddle, A, r->C);
  s->equations.mass(s, q, p, A);
  if (!isfinite(largest(A, area(n, n)))) return TD_E_DIVERGED;
  td_saddle_reduce(saddle, A, r->M);
  memcpy(scratch, r->M, sizeof(double) * area(k, k));
  if (td_chol(scratch, k, 1e-12) == 0) return TD_OK;
  return separate_massless(r, n, scratch, saddle->pivot);
}

// Form M, C and K on the null space Z of the constraints; massless directions are condensed if
// `motion`. *reduced is NULL on failure.
td_status td_reduced_new(td_statics* s, const double* q, const double* l, double p, bool motion,
                         td_reduced** reduced) {
  td_saddle* saddle = NULL;
  td_reduced* r = *reduced = calloc(1, sizeof *r);
  double* scratch =
      malloc(sizeof(double) * (area(s->n, s->n) * 10 + area(s->m, s->n) + (size_t)s->n + 1));
  td_status status = r && scratch ? td_saddle_new(s->n, s->m, &saddle) : TD_E_NOMEM;
  if (status == TD_OK) status = reduce(s, saddle, q, l, p, motion, r, scratch);
  if (status != TD_OK) {
    td_reduced_free(r);
    *reduced = NULL;
  }
  td_saddle_free(saddle);
  free(scratch);
  return status;
}

bool td_reduced_stiffness(const td_reduced* r, double* w, double* V) {
  double* scratch = malloc(sizeof(double) * (2 * area(r->n, r->n) + 1));
  const bool ok = scratch && symmetric_eigen(r->K, r->n, w, V, scratch);
  free(scratch);
  return ok;
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
td_status td_reduced_states(const td_reduced* r, double* A) {
  const int n = r->n, d = r->massless, k = n - d, N = n + k;
  double* C22 =
      malloc(sizeof(double) * (area(n, n) + 2 * area(n, N) + 1) + sizeof(int) * (size_t)n);
  if (!C22) return TD_E_NOMEM;
  double *rate = C22 + area(n, n), *force = rate + area(n, N);
  int* pivot = (int*)(void*)(force + area(n, N));
  memset(A, 0, sizeof(double) * area(N, N));
  for (int i = 0; i < k; i++) A[area(i, N) + (size_t)(n + i)] = 1;

  // rate of z2: d x N
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++) C22[i * d + j] = r->C[(k + i) * n + k + j];
    for (int j = 0; j < n; j++) rate[i * N + j] = -r->K[(k + i) * n + j];
    for (int j = 0; j < k; j++) rate[i * N + n + j] = -r->C[(k + i) * n + j];
  }
  bool ok = d == 0 || td_lu(C22, d, pivot) == 0;
  if (ok) td_lu_solve(C22, pivot, d, rate, N);
  if (ok) memcpy(A + area(k, N), rate, sizeof(double) * area(d, N));

  // acceleration of z1: k x N
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < n; j++) force[i * N + j] = -r->K[i * n + j];
    for (int j = 0; j < k; j++) force[i * N + n + j] = -r->C[i * n + j];
    for (int s = 0; s < d; s++)
      for (int j = 0; j < N; j++) force[i * N + j] -= r->C[i * n + k + s] * rate[s * N + j];
  }
  ok = ok && solve_mass(r, k, C22, force, N);
  if (ok) memcpy(A + area(n, N), force, sizeof(double) * area(k, N));
  free(C22);
  return ok ? TD_OK : TD_E_SINGULAR;
}

// All eigenvalues re + i im of the damped motion, and the displacement part of their eigenvectors
// by rows of X; *found is 2 n less the massless directions.
static td_status complex_modes(td_vibration* v, double* re, double* im, double* X, int* found) {
  const td_reduced* r = ((dense_vibration*)v)->r;
  const int n = r->n, N = *found = 2 * n - r->massless;
  if (n == 0) return TD_OK;
  double* A = malloc(sizeof(double) * 2 * area(N, N));
  if (!A) return TD_E_NOMEM;
  double* V = A + area(N, N);
  td_status status = td_reduced_states(r, A);
  if (status == TD_OK && !td_eig_general(A, N, re, im, V)) status = TD_E_SINGULAR;
  for (int i = 0; status == TD_OK && i < N; i++)
    memcpy(X + area(i, n), V + area(i, N), sizeof(double) * (size_t)n);
  free(A);
  return status;
}

// The first `count` natural modes: w = ω² ascending, shapes by rows of X. K is condensed onto the
// massive directions; the massless ones follow by G.
static td_status natural(td_vibration* v, int count, double* w, double* X, int* found) {
  const td_reduced* r = ((dense_vibration*)v)->r;
  const int n = r->n, d = r->massless, k = n - d;
  const size_t nn = area(n, n);
  *found = min_int(count, k);
  if (n == 0) return TD_OK;
  double* block = malloc(sizeof(double) * 5 * nn + sizeof(int) * (size_t)n);
  if (!block) return TD_E_NOMEM;
  double *K = block, *S = K + nn, *M = S + nn, *G = M + nn, *V = G + nn;
  memcpy(K, r->K, sizeof(double) * nn);
  memcpy(M, r->M, sizeof(double) * nn);
  bool ok = d == 0 || condense(K, n, d, G, S, (int*)(void*)(V + nn));
  if (d > 0) lead(M, k, n, k);
  symmetrise(K, k, S);
  symmetrise(M, k, K);
  ok = ok && td_eig_pencil(S, K, k, w, V);
  for (int i = 0; ok && i < *found; i++) {
    memcpy(X + area(i, n), V + area(i, k), sizeof(double) * (size_t)k);
    if (d > 0) td_mul(G, V + area(i, k), d, k, 1, X + area(i, n) + k);
  }
  free(block);
  return ok ? TD_OK : TD_E_SINGULAR;
}

// Undamped problem of a stiffness that is not symmetric, K x = w² M x with w² real or in conjugate
// pairs.  A pair makes motions that grow and decay without any damping:
//
//   s² = -w²,  |s| = |w|,  -Re s/|s| = ±sin(arg(w²)/2)
//
// C adds the diagonal of X⁻¹ M⁻¹ C X / (2 |w|), X the shapes by columns.
static td_status general(td_vibration* v, double* omega, double* zeta, double* shapes, int* found) {
  const td_reduced* r = ((dense_vibration*)v)->r;
  const int n = r->n, d = r->massless, k = n - d;
  const size_t nn = area(n, n);
  *found = k;
  if (n == 0) return TD_OK;
  double* block = malloc(sizeof(double) * (7 * nn + 3 * (size_t)n) + sizeof(int) * (size_t)n);
  if (!block) return TD_E_NOMEM;
  double *K = block, *L = K + nn, *G = L + nn, *V = G + nn, *E = V + nn, *D = E + nn, *X = D + nn;
  double *re = X + nn, *im = re + n, *ratio = im + n;
  int* pivot = (int*)(void*)(ratio + n);

  // stiffness and damping on the massive directions, which the others follow
  memcpy(K, r->K, sizeof(double) * nn);
  memset(E, 0, sizeof(double) * nn);
  for (int i = 0; i < k; i++) E[area(i, k) + (size_t)i] = 1;
  bool ok = d == 0 || condense(K, n, d, G, L, pivot);
  if (ok && d > 0) memcpy(E + area(k, k), G, sizeof(double) * area(d, k));
  congruence(r->C, E, n, k, X, D);
  ok = ok && solve_mass(r, k, L, K, k) && solve_mass(r, k, L, D, k) &&
       td_eig_general(K, k, re, im, V);
  if (!ok) {
    free(block);
    return TD_E_SINGULAR;
  }

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
  free(block);
  return TD_OK;
}

// ---- signs of the stiffness -------------------------------------------------------------------

bool td_scaled_new(td_statics* s, const double* q, double p, const td_reduced* r,
                   td_scaled* scaled) {
  const int n = s->n, k = r->n;
  double* block =
      malloc(sizeof(double) * (area(n, n) + 2 * (size_t)n + 4 * area(k, k) + 2 * (size_t)k + 1));
  *scaled = (td_scaled){.r = r, .block = block};
  if (!block) return false;
  double *M = block, *column = M + area(n, n), *Mc = column + n, *E = Mc + n;
  double* scratch = E + area(k, k);
  scaled->V = scratch + 2 * area(k, k);
  scaled->w = scaled->V + area(k, k);
  scaled->mass = scaled->w + k;
  s->equations.mass(s, q, p, M);

  // mass and K_aa/M_aa along each direction of the null space
  for (int a = 0; a < k; a++) {
    for (int i = 0; i < n; i++) column[i] = r->Z[i * k + a];
    td_mul(M, column, n, n, 1, Mc);
    scaled->mass[a] = inner(column, Mc, n);
    scaled->highest = fmax(scaled->highest, fabs(r->K[a * k + a]) / scaled->mass[a]);
    if (!(scaled->mass[a] > 0)) return false;
  }
  if (!(isfinite(scaled->highest) && scaled->highest > 0)) return false;
  scaled->mixing = s->m > 0 ? 1e-15 * largest(r->K, area(k, k)) : 0;

  // eigenvectors with all masses made one, back in the coordinates
  for (int a = 0; a < k; a++)
    for (int b = 0; b < k; b++)
      E[a * k + b] = r->K[a * k + b] / sqrt(scaled->mass[a] * scaled->mass[b]);
  if (!symmetric_eigen(E, k, scaled->w, scaled->V, scratch)) return false;
  for (int i = 0; i < k; i++)
    for (int a = 0; a < k; a++) scaled->V[i * k + a] /= sqrt(scaled->mass[a]);
  return true;
}

int td_scaled_sign(const td_scaled* scaled, int i) {
  static const double noise = 1e-12, rounding = 1e-14;
  const td_reduced* r = scaled->r;
  const double* x = scaled->V + area(i, r->n);
  double value = 0, size = 0, length = 0;
  for (int a = 0; a < r->n; a++) {
    length += fabs(x[a]);
    for (int b = 0; b < r->n; b++) {
      const double term = x[a] * r->K[a * r->n + b] * x[b];
      value += term;
      size += fabs(term);
    }
  }
  const double zero = noise * size + rounding * scaled->highest + scaled->mixing * length * length;
  return value < -zero ? -1 : value > zero;
}

// Count negative (divergent) and zero (neutral) eigenvalues of the symmetric stiffness; critical is
// the least one.  Zero is relative to the largest eigenvalue; where that leaves some open, each
// direction is judged beside its own terms with all masses made one, whatever the units are.
static td_status signs(td_vibration* v, td_answer* answer, int* neutral) {
  const td_reduced* r = ((dense_vibration*)v)->r;
  const int n = r->n;
  double *w = answer->stiffness, *V = malloc(sizeof(double) * (area(n, n) + 1));
  if (!V) return TD_E_NOMEM;
  const bool ok = td_reduced_stiffness(r, w, V);
  free(V);
  if (!ok) return TD_E_DIVERGED;
  const double zero = n ? TD_ZERO_STIFFNESS * fmax(fabs(w[0]), fabs(w[n - 1])) : 0;
  for (int i = 0; i < n; i++) {
    answer->divergent += w[i] < -zero;
    *neutral += fabs(w[i]) <= zero;
  }
  answer->n = n;
  answer->critical = n ? w[0] : 0;
  if (*neutral == 0) return TD_OK;

  // the same counts by scaled directions, if they leave fewer open
  td_scaled scaled;
  if (td_scaled_new(v->s, v->q, v->p, r, &scaled)) {
    int negative = 0, open = 0;
    for (int i = 0; i < n; i++) {
      const int sign = td_scaled_sign(&scaled, i);
      negative += sign < 0;
      open += sign == 0;
    }
    if (open < *neutral) {
      answer->divergent = negative;
      *neutral = open;
    }
  }
  td_scaled_free(&scaled);
  return TD_OK;
}

// ---- products and solutions -------------------------------------------------------------------

static void multiply(td_vibration* v, vibration_matrix A, const double* x, double* y) {
  const td_reduced* r = ((dense_vibration*)v)->r;
  td_mul(A == VIBRATION_MASS ? r->M : A == VIBRATION_DAMPING ? r->C : r->K, x, r->n, r->n, 1, y);
}

static td_status factor(td_vibration* base, double shift) {
  dense_vibration* v = (dense_vibration*)base;
  const td_reduced* r = v->r;
  const size_t nn = area(r->n, r->n);
  if (!v->LU) v->LU = malloc(sizeof(double) * (nn + 1));
  if (!v->pivot) v->pivot = malloc(sizeof(int) * ((size_t)r->n + 1));
  if (!v->LU || !v->pivot) return TD_E_NOMEM;
  for (size_t i = 0; i < nn; i++) v->LU[i] = r->K[i] + shift * r->M[i];
  return td_lu(v->LU, r->n, v->pivot) == 0 ? TD_OK : TD_E_SINGULAR;
}

static void solve(td_vibration* base, const double* f, double* x) {
  const dense_vibration* v = (const dense_vibration*)base;
  const td_statics* s = base->s;
  const int n = v->r->n;
  memset(x, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < n; j++) x[j] += v->r->Z[area(i, n) + (size_t)j] * f[s->free[i]];
  td_lu_solve(v->LU, v->pivot, n, x, 1);
}

static void expand(const td_vibration* v, const double* x, double* shape) {
  const td_reduced* r = ((const dense_vibration*)v)->r;
  memset(shape, 0, sizeof(double) * (size_t)v->s->nv);
  for (int i = 0; i < v->s->n; i++) shape[v->s->free[i]] = inner(r->Z + area(i, r->n), x, r->n);
}

static void momenta(td_vibration* v, int k, const double* shape, double* out) {
  td_statics* s = v->s;
  td_trial_mass_matrix(s->model, s->state, s->work, s->full);
  td_mul(shape, s->full, k, s->nv, s->nv, out);
}

static td_status sensors(td_vibration* v, const sensor_slopes* d) {
  return td_sensor_tangent(v->s->model, v->s->state, v->s->work, d->dq, d->dv, d->du, d->known);
}

static void release(td_vibration* base) {
  dense_vibration* v = (dense_vibration*)base;
  td_reduced_free(v->r);
  free(v->LU);
  free(v->pivot);
  free(v);
}

static const td_vibration_ops dense_ops = {
    .natural = natural,
    .general = general,
    .complex = complex_modes,
    .signs = signs,
    .multiply = multiply,
    .factor = factor,
    .solve = solve,
    .expand = expand,
    .momenta = momenta,
    .sensors = sensors,
    .unknown = "since dependent constraints do not determine them",
    .reduced_most = INT_MAX,
    .free = release,
};

// Reduce the matrices at the point and install the dense operations; *vibration is NULL on failure.
td_status td_vibration_dense(td_statics* s, const double* q, const double* l, double p, bool motion,
                             td_vibration** vibration) {
  dense_vibration* v = calloc(1, sizeof *v);
  *vibration = NULL;
  if (!v) return TD_E_NOMEM;
  v->base = (td_vibration){.ops = &dense_ops, .s = s, .q = q, .l = l, .p = p};
  const td_status status = td_reduced_new(s, q, l, p, motion, &v->r);
  if (status != TD_OK) {
    release(&v->base);
    return status;
  }
  v->base.n = v->base.most = v->base.usual = v->r->n;
  v->base.asymmetry = v->r->asymmetry;
  *vibration = &v->base;
  return TD_OK;
}
